//! The generated types of documents, and the errors of unreadable documents. One program: each links everything that the generator needs.

mod cli;
mod custom;
mod descriptions;
mod errors;
mod explain;
mod fields;
mod folder;
mod golden;
mod groups;
mod hostile;
mod json_schema;
mod limits;
mod mutations;
mod names;
mod one_type;
mod paths;
mod plain;
mod selection;
mod structs;
mod traits;
