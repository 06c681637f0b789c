//! How a server handles a request.

pub mod buckets;
pub mod controller;
pub mod limits;
pub mod matching;
pub mod objects;
pub mod queueing;
pub mod seats;
pub mod sharding;
