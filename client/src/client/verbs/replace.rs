//! Replacing an object or its status.

use crate::client::call::builder;
use crate::client::params::{loss_setter, write_setters};

builder! {
    /// Replaces an object or its status, made by [`Api::replace`](crate::client::Api::replace) and
    /// [`Api::replace_status`](crate::client::Api::replace_status).
    ReplaceRequest => K, |call| call.send_for_object().await
}

write_setters!(ReplaceRequest);
loss_setter!(ReplaceRequest);
