//! Responses: status code, headers, warnings and values. Decoding does not do I/O.

pub(crate) mod body;
pub(crate) mod decode;
pub(crate) mod gunzip;
pub(crate) mod head;
pub(crate) mod renamed;
pub(crate) mod warnings;
