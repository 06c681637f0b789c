//! The tour, to be written.

fn main() {}
