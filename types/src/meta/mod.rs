//! Types that all Kubernetes APIs share: object and list metadata, `Status`, discovery, delete options.
//!
//! The structs are generated from the project's document of the shared schemas; the scalars that no
//! schema describes are written by hand.

mod byte_string;
mod int_or_string;
mod managed_fields;
mod number;
mod quantity;
mod time;

pub use crate::json::{InvalidJson, RawJson};
pub use crate::rt::v1::Unknown;
pub use byte_string::{ByteString, InvalidBase64};
pub use int_or_string::IntOrString;
pub use managed_fields::ManagedFields;
pub use number::Number;
pub use quantity::{Amount, InvalidQuantity, Quantity, QuantityFormat};
pub use time::{InvalidTime, MicroTime, Time};

pub use generated::*;

/// The annotation in which `kubectl apply` without `--server-side` records the applied object, with all its secrets.
pub const LAST_APPLIED_ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

#[allow(clippy::all)]
mod generated {
    generated!("meta");
}
