//! What the generator makes of documents, and what it says of those that it cannot read. One program: each links everything that the generator needs.

mod cli;
mod custom;
mod errors;
mod folder;
mod golden;
mod groups;
mod json_schema;
mod mutations;
mod one_type;
mod plain;
mod selection;
mod structs;
mod traits;
