//! API versions: the versions that both sides know, and the conversion of objects between them.

pub(crate) mod call;
pub(crate) mod codec;
pub(crate) mod negotiated;
pub(crate) mod negotiation;
pub(crate) mod server_release;
