//! The tests of the crate, one program.

#![allow(
    clippy::field_reassign_with_default,
    clippy::panic,
    clippy::unwrap_used
)]

mod conversions;
mod expressions;
mod formats;
mod generated_types;
mod hostile;
mod library;
mod long_lists;
mod recorded;
mod schema;

/// The generated code of `fixtures/hostile.json`.
#[allow(clippy::all, dead_code, unreachable_pub)]
#[path = "../generated/hostile.rs"]
#[rustfmt::skip]
mod hostile_names;

/// The generated code of `fixtures/pets.json`.
#[allow(clippy::all, dead_code, unreachable_pub, unused_imports)]
#[path = "../generated/pets.rs"]
#[rustfmt::skip]
mod pets;

/// The generated code of `fixtures/gates.yaml`.
#[allow(clippy::all, dead_code, unreachable_pub, unused_imports)]
#[path = "../generated/town_v1.rs"]
#[rustfmt::skip]
mod town_v1;
