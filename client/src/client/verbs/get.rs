//! Reading one object.

use crate::client::call::builder;
use crate::client::params::setters;

builder! {
    /// Reads an object, made by [`Api::get`](crate::client::Api::get) and
    /// [`Api::get_status`](crate::client::Api::get_status).
    GetRequest => K, |call| call.send_for_object().await
}

setters!(GetRequest {
    /// How new the answer must be: nothing for the newest state, `0` for whatever the server has at hand.
    resource_version(version: impl Into<String>) => "resourceVersion" = version;
});
