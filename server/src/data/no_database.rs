//! The database of a build without the feature `data-dir`, of which no value exists.

use super::{Loaded, Record};
use k8s_flowcontrol_types::Release;
use std::convert::Infallible;
use std::path::Path;

/// No value of this type exists.
#[derive(Debug)]
pub(crate) enum Data {}

impl Data {
    pub(crate) fn open(_folder: &Path) -> Result<(Self, Loaded), &'static str> {
        // Unreachable: `Builder::data_dir` does not exist without the feature.
        Err("this build has no data folders")
    }

    pub(crate) fn is_ready(&self) -> bool {
        match *self {}
    }

    pub(crate) fn commit(
        &self,
        _release: Release,
        _revision: u64,
        _records: &[Record<'_>],
    ) -> Result<(), Infallible> {
        match *self {}
    }
}
