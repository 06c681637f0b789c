//! Creating an object.

use crate::client::call::builder;
use crate::client::params::{loss_setter, write_setters};

builder! {
    /// Creates an object, made by [`Api::create`](crate::client::Api::create).
    CreateRequest => K, |call| call.send_for_object().await
}

write_setters!(CreateRequest);
loss_setter!(CreateRequest);
