//! `g.search` and `g.store.search` beyond what one script sees.

mod limits;
mod recovery;
mod reference;
