//! End-to-end tests over real HTTP.
//!
//! [`support::Cluster`] is a server under test: embedded servers of several releases one after the other, or the cluster of
//! FLOWCONTROL_TEST_KUBECONFIG. Tests of single releases, of faults and of received requests always use an embedded server.
//! The tests use the best version of each server; tests of one version skip the servers that do not serve it.
//!
//! - `both`: one function for fixed and negotiated versions
//! - `objects`, `patches`, `watching`, `paging`: the verbs and their failures
//! - `partial`: server-side apply of some fields of an object
//! - `metadata`: metadata-only requests, watches and stores
//! - `dry_runs`: no verb stores a dry run
//! - `missing`: missing objects, and versions that the server does not serve
//! - `negotiation`: requests through upgrades and downgrades of the server
//! - `versions`: one object in several versions, per release
//! - `wire`: every documented operation and query parameter arrives at the server
//! - `references`: the fields described by the public reference pages of the API
//! - `secured`: TLS, users and faults
//! - `answers`: response codes and bodies that the embedded server does not send
//! - `raw`: paths outside of the API group
//! - `openapi`: the server's OpenAPI documents, read by the generator
//! - `dynamic`: kinds that are chosen at run time
//! - `custom`: custom resources that begin as Rust types
//! - `dumps`: the server's flow-control tables, read by `rules`
//! - `examples`: the programs in `examples/`
//! - `replay`: a load at its times, on an embedded server and on a cluster, beside the prediction of the simulation
//! - `documented`: the most used items have an example in their documentation
//! - `unit_tests`: no crate has a test that never runs

mod answers;
mod both;
mod custom;
mod documented;
mod documents;
mod dry_runs;
mod dumps;
mod dynamic;
mod example_programs;
mod examples;
mod metadata;
mod missing;
mod negotiation;
mod objects;
mod openapi;
mod paging;
mod partial;
mod patches;
mod raw;
mod references;
mod replay;
mod secured;
mod support;
mod unit_tests;
mod versions;
mod watching;
mod wire;
