//! Creating an object.

use super::call::builder;
use crate::Resource;
use crate::negotiate::codec::{Codec, Codecs};
use crate::request::query::{loss_setter, pretty_setter, write_setters};

builder! {
    /// Creates an object, made by [`Api::create`](crate::Api::create).
    CreateRequest<K: Resource> { wires: Codecs<K> } => K, |this| this.call.send_in(&this.wires, Codec::object).await
}

pretty_setter!(CreateRequest);
write_setters!(CreateRequest);
loss_setter!(CreateRequest);
