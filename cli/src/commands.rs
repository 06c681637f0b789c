//! One module per command: its declaration, and its work.

pub(crate) mod apply;
pub(crate) mod complete;
pub(crate) mod completion;
pub(crate) mod convert;
pub(crate) mod cost;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod describe;
pub(crate) mod diagnose;
pub(crate) mod diff;
pub(crate) mod get;
pub(crate) mod lint;
pub(crate) mod man;
pub(crate) mod match_request;
pub(crate) mod migrate;
pub(crate) mod monitoring;
pub(crate) mod options;
pub(crate) mod plan;
pub(crate) mod preview;
pub(crate) mod rbac;
pub(crate) mod reset;
pub(crate) mod rewrite_storage;
pub(crate) mod scan;
pub(crate) mod seats;
pub(crate) mod serve;
pub(crate) mod simulate;
pub(crate) mod size;
pub(crate) mod top;
pub(crate) mod traffic;
pub(crate) mod tune;
pub(crate) mod validate;
pub(crate) mod whoami;

use crate::command::Declared;

/// All commands, in the order of the help.
pub(crate) static ALL: &[Declared] = &[
    Declared::of::<migrate::Args>(),
    Declared::of::<plan::Args>(),
    Declared::of::<preview::Args>(),
    Declared::of::<convert::Args>(),
    Declared::of::<scan::Args>(),
    Declared::of::<rewrite_storage::Args>(),
    Declared::of::<validate::Args>(),
    Declared::of::<lint::Args>(),
    Declared::of::<get::Args>(),
    Declared::of::<describe::Args>(),
    Declared::of::<diff::Args>(),
    Declared::of::<apply::Args>(),
    Declared::of::<delete::Args>(),
    Declared::of::<tune::Args>(),
    Declared::of::<reset::Args>(),
    Declared::of::<match_request::Args>(),
    Declared::of::<cost::Args>(),
    Declared::of::<seats::Args>(),
    Declared::of::<traffic::Args>(),
    Declared::of::<simulate::Args>(),
    Declared::of::<diagnose::Args>(),
    Declared::of::<top::Args>(),
    Declared::of::<whoami::Args>(),
    Declared::of::<create::Args>(),
    Declared::of::<size::Args>(),
    Declared::of::<serve::Args>(),
    Declared::of::<monitoring::Args>(),
    Declared::of::<rbac::Args>(),
    Declared::of::<completion::Args>(),
    Declared::of::<man::Args>(),
    Declared::of::<options::Args>(),
    Declared::of::<complete::Args>(),
];
