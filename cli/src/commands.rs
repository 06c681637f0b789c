//! One module per command: its options, and what it does.

pub(crate) mod apply;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod delete;
pub(crate) mod describe;
pub(crate) mod diff;
pub(crate) mod generate;
pub(crate) mod get;
pub(crate) mod limits;
pub(crate) mod lint;
pub(crate) mod match_request;
pub(crate) mod migrate;
pub(crate) mod plan;
pub(crate) mod rbac;
pub(crate) mod restore;
pub(crate) mod rewrite_storage;
pub(crate) mod scan;
pub(crate) mod seats;
pub(crate) mod serve;
pub(crate) mod set_shares;
pub(crate) mod simulate;
pub(crate) mod top;
pub(crate) mod traffic;
pub(crate) mod validate;
pub(crate) mod watch;
pub(crate) mod whoami;
