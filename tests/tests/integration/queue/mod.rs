//! `g.queue` beyond what one script sees.

mod processes;
