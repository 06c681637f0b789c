//! `traffic --parquet` in a program that was built without the feature `parquet`: an error that says what to install.

use crate::failure::Failure;
use k8s_flowcontrol_analysis::audit::Event;
use k8s_flowcontrol_analysis::redact::Redactor;
use k8s_flowcontrol_analysis::traffic::Sample;
use std::path::Path;

/// No value of it exists.
pub(super) enum Rows {}

impl Rows {
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let message = format!(
            "cannot write {}: this program was built without support for Apache Parquet",
            path.display()
        );
        let hint = "install a released program, or build it with `cargo install --path cli --features parquet`";
        Err(Failure::usage(message).hint(hint))
    }

    pub(super) fn add(&mut self, _: &Event<'_>, _: &Sample, _: &Redactor) -> Result<(), Failure> {
        match *self {}
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        match self {}
    }
}
