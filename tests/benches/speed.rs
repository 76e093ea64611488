//! Speed.

fn main() {}
