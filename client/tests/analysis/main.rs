//! Seats, matching and lint on recorded and made-up configurations.

mod built_in;
mod limits;
mod lint;
mod matching;
mod properties;
