//! The server as clients see it: over HTTP on loopback.

mod support;

mod applied_configurations;
mod apply;
mod apply_across_versions;
mod big_bodies;
mod bodies;
mod bootstrap;
mod crud;
#[cfg(feature = "data-dir")]
mod data_dir;
mod deadlines;
mod deletions;
mod deprecation;
mod discovery;
mod encodings;
mod endpoints;
#[cfg(feature = "tls")]
mod exposure;
mod faults;
mod flow_control;
mod http;
mod lenient_patches;
mod limits;
mod list_tokens;
mod lists;
mod many_watchers;
mod openapi;
mod patch_directives;
mod patches;
mod receiver;
mod releases;
mod representations;
mod reviews;
mod server;
mod status;
#[cfg(feature = "data-dir")]
mod stored_objects;
mod swagger;
mod swagger_protobuf;
#[cfg(feature = "tls")]
mod tls;
mod tracking;
mod upgrade;
mod urls;
mod users;
mod versions;
mod watches;
