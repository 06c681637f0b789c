//! The generated code of documents of other API groups, compiled in another crate than its runtime with every warning an error, compared as
//! text, and put to use.

#![deny(warnings, missing_docs)]

mod elsewhere;
pub(crate) mod leases;
mod zoo;

// Shared by the tests, so that each is compiled once.
#[path = "../generated/leases/mod.rs"]
pub(crate) mod generated_leases;
#[path = "../generated/random/mod.rs"]
pub(crate) mod generated_random;
#[path = "../generated/zoo/mod.rs"]
pub(crate) mod generated_zoo;
