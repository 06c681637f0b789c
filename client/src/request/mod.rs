//! Requests as plain data, built and checked without I/O.

pub(crate) mod http_request;
pub(crate) mod path;
pub(crate) mod query;
pub(crate) mod representation;
pub(crate) mod resource_kind;
