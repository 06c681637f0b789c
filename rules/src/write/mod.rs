//! How a server handles an object.

pub mod bootstrap;
pub mod conversion;
pub mod decode;
pub mod defaults;
pub mod storage;
pub mod validate;
pub mod wire;
