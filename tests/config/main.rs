//! Configuration and authentication, against servers and proxies on this host that say what they are told to.
//!
//! - `tls`: authorities, names, client certificates and the forms of their keys
//! - `rotation`: files that change, and the one retry after a 401
//! - `exec`: credential plugins, which are small scripts
//! - `proxies`: CONNECT, SOCKS5, whole requests, over TLS, with passwords
//! - `kubeconfig`: files, their order, relative paths, impersonation and the rest
//! - `environment`: what KUBECONFIG and the proxy variables do to a whole program
//! - `secrets`: nothing that is to be kept is shown

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod environment;
mod exec;
mod kubeconfig;
mod proxies;
mod rotation;
mod secrets;
mod support;
mod tls;
