//! Reading one object.

use super::call::builder;
use crate::Resource;
use crate::negotiate::codec::{Codec, Codecs};
use crate::request::query::{pretty_setter, setters};
use crate::response::decode::if_found;

builder! {
    /// Reads an object, made by [`Api::get`](crate::Api::get) and
    /// [`Api::get_status`](crate::Api::get_status).
    GetRequest<K: Resource> { wires: Codecs<K> } => K, |this| this.call.send_in(&this.wires, Codec::object).await
}

builder! {
    /// Reads an object that may be missing, made by [`Api::get_opt`](crate::Api::get_opt).
    GetOptRequest<K: Resource> { wires: Codecs<K> } => Option<K>, |this| {
        if_found(this.call.send_in(&this.wires, Codec::object).await)
    }
}

macro_rules! get_setters {
    ($($builder:ident)*) => {$(
        pretty_setter!($builder);
        setters!($builder {
            /// The minimum state to read. Unset means the newest state; `0` means any state in the server's cache; see
            /// [resource versions].
            ///
            /// [resource versions]: https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
            resource_version(version: impl Into<String>) => "resourceVersion" = version;
        });
    )*};
}

get_setters!(GetRequest GetOptRequest);
