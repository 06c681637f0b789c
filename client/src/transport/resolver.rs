//! Name resolution with one alias.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;

/// The system's name resolution, except that `alias` resolves to the addresses of `host`.
pub(crate) struct Resolver {
    alias: String,
    host: String,
}

impl Resolver {
    pub(crate) fn new(alias: &str, host: &str) -> Self {
        Self {
            alias: alias.to_owned(),
            host: host.to_owned(),
        }
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let host = match name.as_str().eq_ignore_ascii_case(&self.alias) {
            true => self.host.clone(),
            false => name.as_str().to_owned(),
        };
        Box::pin(async move {
            // The port comes from the URL.
            let found = tokio::net::lookup_host((host.as_str(), 0)).await;
            let addresses: Vec<_> = found?.collect();
            if addresses.is_empty() {
                return Err(io::Error::other(format!("`{host}` has no address")).into());
            }
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}
