//! Selection of one API group from documents that describe several, such as a server's `/openapi/v2`.

use crate::error::Error;
use crate::model::{Model, Served};
use crate::plan::group_version;
use std::collections::BTreeSet;

/// The API group and version to generate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) group: String,
    /// All versions of the group if absent.
    pub(crate) version: Option<String>,
}

impl Selection {
    fn takes(&self, group: &str, version: &str) -> bool {
        group == self.group && self.version.as_deref().is_none_or(|only| only == version)
    }

    fn takes_path(&self, path: &str) -> bool {
        group_version(path).is_some_and(|(group, version, _)| self.takes(group, version))
    }

    /// Keeps only the operations below the group's paths. Schemas to which no kept schema or operation
    /// refers are not generated.
    pub(crate) fn apply(&self, model: &mut Model) -> Result<(), Error> {
        let mut offered: BTreeSet<String> = BTreeSet::new();
        let mut kept = 0;
        for document in &mut model.documents {
            for operation in &document.operations {
                if let Some((group, version, rest)) = group_version(&operation.path)
                    && !rest.is_empty()
                {
                    offered.insert(shown(group, Some(version)));
                }
            }
            let custom = document.custom.iter().map(|(_, served)| &served.kind);
            offered.extend(custom.map(|kind| shown(&kind.group, Some(&kind.version))));
            document.operations.retain(|o| self.takes_path(&o.path));
            let takes = |served: &Served| self.takes(&served.kind.group, &served.kind.version);
            document.custom.retain(|(_, served)| takes(served));
            kept += document.operations.len() + document.custom.len();
        }
        if kept > 0 {
            return Ok(());
        }
        let of_group = format!("{}/", shown(&self.group, None));
        if offered.iter().any(|other| other.starts_with(&of_group)) {
            offered.retain(|other| other.starts_with(&of_group));
        }
        let wanted = shown(&self.group, self.version.as_deref());
        Err(
            Error::new(format!("no document describes `{wanted}`")).help(match offered.len() {
                0 => "the documents describe no API group: give an OpenAPI document with `paths`"
                    .to_owned(),
                _ => format!(
                    "the documents describe {}",
                    offered.into_iter().collect::<Vec<_>>().join(", ")
                ),
            }),
        )
    }
}

fn shown(group: &str, version: Option<&str>) -> String {
    let group = if group.is_empty() { "core" } else { group };
    match version {
        Some(version) => format!("{group}/{version}"),
        None => group.to_owned(),
    }
}
