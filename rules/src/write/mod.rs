//! How a server handles an object.

pub mod bootstrap;
pub mod conversion;
pub mod decode;
pub mod defaults;
mod dropped_fields;
mod no_list;
pub mod storage;
pub mod validate;
pub mod wire;

pub use dropped_fields::{dropped_fields, strip_server_fields};
