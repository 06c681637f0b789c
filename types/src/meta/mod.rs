//! What every Kubernetes API shares: object and list metadata, `Status`, discovery, delete options.
//!
//! The structs are generated from the project's document of the shared schemas; the scalars that no
//! schema describes are written by hand.

mod int_or_string;
mod managed_fields;
mod number;
mod quantity;
mod raw_json;
mod same_value;
mod time;
mod unknown;

pub use int_or_string::IntOrString;
pub use managed_fields::ManagedFields;
pub use number::Number;
pub use quantity::Quantity;
pub use raw_json::{InvalidJson, RawJson};
pub use time::{InvalidTime, MicroTime, Time};
pub use unknown::Unknown;

pub use generated::*;

#[allow(clippy::all)]
mod generated {
    generated!("meta");
}
