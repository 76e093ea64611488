//! `g.store` beyond what one script sees.

mod updates;
