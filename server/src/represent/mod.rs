//! Representations of objects: metadata alone, tables and Protocol Buffers.

mod columns;
mod descriptions;
mod partial;
pub(crate) mod protobuf;
mod protobuf_messages;
mod table;
mod view;

pub(crate) use columns::Columns;
pub(crate) use partial::{partial, partial_list};
pub(crate) use table::{Include, table, table_metadata};
pub(crate) use view::{MetaVersion, View};
