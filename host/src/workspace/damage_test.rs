//! A damaged file: an error or a right answer, in bounded time.
