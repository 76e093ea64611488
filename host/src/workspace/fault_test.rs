//! Every access to the file that can fail, fails once.
