//! Configuration and authentication, against scripted servers and proxies on this host.
//!
//! - `tls`: authorities, names, client certificates and the forms of their keys
//! - `handshakes`: handshakes that the server ends, or never begins
//! - `names`: the names in handshakes and requests, with and without `tls-server-name`
//! - `rotation`: files that change, and the one retry after a 401
//! - `exec`: credential plugins, written as small scripts
//! - `token_source`: tokens that code of the program obtains
//! - `exported`: configurations as kubeconfigs, and back
//! - `plain_http`: servers without TLS get no credentials
//! - `proxies`: CONNECT, SOCKS5 and complete requests, over TLS, with passwords
//! - `kubeconfig`: files, their order, relative paths, impersonation
//! - `kubeconfig_faults`: faults in a kubeconfig, and their places
//! - `builder`: the sources of a configuration, and the values that replace values of a kubeconfig
//! - `environment`: KUBECONFIG and the proxy variables, seen by a whole program
//! - `secrets`: no secret appears in `Debug` output or errors

mod builder;
mod environment;
mod exec;
mod exec_faults;
mod exported;
mod handshakes;
mod kubeconfig;
mod kubeconfig_faults;
mod names;
mod plain_http;
mod proxies;
mod renewal;
mod rotation;
mod secrets;
pub(crate) mod support;
mod tls;
mod token_source;
