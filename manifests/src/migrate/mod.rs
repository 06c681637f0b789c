//! Migration of a text to another API version.
//!
//! [`migrate`] is pure: a text goes in, edits and findings come out. `read` finds the objects with the places of their
//! fields, `decide` converts each with the [conversion rules](k8s_flowcontrol_types::convert), and `edit` writes the
//! difference into the text, so comments, order, quotes and anchors stay, and `verify` reads the result again: a text that does
//! not read as converted is rejected. Each of these folders uses only those before it. Other mentions of an old version or field are listed.

mod client_names;
mod decide;
mod dynamic;
mod edit;
mod embedded_text;
mod fences;
mod findings;
#[cfg(feature = "files")]
mod generated;
mod lesser_uses;
mod metrics;
mod named_template;
mod objects;
mod programs;
mod read;
mod references;
mod remedy;
mod result;
mod settings;
mod state;
mod values;
mod verify;
mod whole_text;

pub use decide::foreign_shares;
#[cfg(feature = "files")]
pub(crate) use dynamic::Links;
pub use edit::Edit;
pub use fences::migrate_fences;
#[cfg(feature = "files")]
pub(crate) use findings::About;
pub use findings::{Finding, Rule, Severity};
#[cfg(feature = "files")]
pub(crate) use generated::{Reason, grouped, one_note, reason};
pub use metrics::{Metrics, may_have_removed_metrics, removed_metrics};
pub use named_template::{NamedTemplate, named_template};
pub use programs::uses;
#[cfg(feature = "files")]
pub(crate) use programs::{uses_of_names, uses_with};
pub use read::{Mention, Mentioned, may_mention, mentions};
pub use remedy::Remedy;
pub use result::{Change, MigratedObject, Migration};
pub use settings::{ForeignFieldPolicy, Settings};
pub use whole_text::migrate;
