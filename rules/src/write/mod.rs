//! How a server handles an object.

pub mod bootstrap;
pub mod conversion;
pub mod decode;
pub mod defaults;
mod server_fields;
pub mod storage;
pub mod validate;
pub mod wire;

pub use server_fields::strip_server_fields;
