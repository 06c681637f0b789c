//! Representations of objects: metadata alone, tables, YAML and Protocol Buffers.

mod age;
mod columns;
mod descriptions;
mod partial;
pub(crate) mod protobuf;
mod protobuf_messages;
mod table;
mod view;
mod yaml;

pub(crate) use columns::Columns;
pub(crate) use partial::{partial, partial_list};
pub(crate) use table::{Include, table, table_metadata};
pub(crate) use view::{MetaVersion, View};
pub use yaml::to_yaml;
