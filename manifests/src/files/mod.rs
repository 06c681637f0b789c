//! Migrating the files of folders: finding them, examining many at a time, and replacing their contents.
//!
//! A file is replaced as a whole or does not change, with its owner, mode and attributes, and only if no other program
//! changed it meanwhile. No program that a folder names runs; [`keep_dirty`] runs git.
//!
//! ```no_run
//! use k8s_flowcontrol_manifests::Settings;
//! use k8s_flowcontrol_manifests::files::{Selection, Status, collect, examine_all, keep_dirty, write_all};
//! use k8s_flowcontrol_types::ApiVersion;
//! use std::sync::atomic::AtomicBool;
//!
//! let found = collect(&["manifests".into()], None, &Selection::new(&[], false)?)?;
//! let mut files = examine_all(found.files, Settings::to(ApiVersion::V1), false, |_| {});
//! keep_dirty(&mut files);
//! let files = write_all(files, None, &AtomicBool::new(false), |_| {});
//! for file in files.iter().filter(|file| file.status == Status::Changed) {
//!     println!("{}", file.source.name);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod across;
mod attributes;
mod backup;
mod batch;
mod candidates;
mod causes;
mod documentation;
mod examine;
mod examined;
mod git;
mod helpers;
mod ignored;
pub mod input;
mod markers;
mod replace;
mod servers;
mod skipped;
mod test_data;
mod upgrade;

pub use backup::{Backups, without_links};
pub use batch::{conflict, examine_all, keep_dirty, write_all};
pub use candidates::{Candidate, Candidates, CollectError, collect};
pub use examine::{Examination, examine_file};
pub use examined::{Examined, Status};
pub use ignored::{InvalidGlob, Selection};
pub use replace::Identity;
pub use skipped::{SkipReason, Skipped};
pub use upgrade::FileUpgrade;
