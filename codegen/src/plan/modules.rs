//! The modules of schemas.

use super::types::Module;
use crate::error::{At, Error};
use crate::model::Key;
use crate::names;
use crate::runtime;
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Modules {
    /// Packages whose kinds are served, with group and version.
    packages: BTreeMap<String, (String, String)>,
    /// Whether the shared schemas are the runtime's own module `meta`.
    own_meta: bool,
    /// Module names, each with its position and the package, version or file that owns the name.
    owners: BTreeMap<String, (usize, String)>,
    pub(super) list: Vec<Module>,
}

impl Modules {
    pub(super) fn new(packages: BTreeMap<String, (String, String)>, own_meta: bool) -> Self {
        Self {
            packages,
            own_meta,
            owners: BTreeMap::new(),
            list: Vec::new(),
        }
    }

    /// Whether the documents serve kinds of the schema's package.
    pub(super) fn serve(&self, key: &Key) -> bool {
        self.packages.contains_key(&key.package)
    }

    pub(super) fn of(&mut self, key: &Key, at: &At) -> Result<usize, Error> {
        let is_meta = self.own_meta && runtime::is_own_meta(key);
        let version = self.packages.get(&key.package).cloned();
        let (name, owner) = if is_meta {
            ("meta".to_owned(), runtime::SHARED_PACKAGE.to_owned())
        } else if let Some((group, version)) = &version {
            (
                self.version_module(group, version),
                format!("{group}/{version}"),
            )
        } else if let Some(stem) = key.package.strip_prefix("file:") {
            (names::module(stem), key.package.clone())
        } else {
            (self.package_module(&key.package), key.package.clone())
        };
        self.named(name, owner, version, is_meta, at)
    }

    /// Named by the last two parts of the package, or by more parts if another package has that name.
    fn package_module(&self, package: &str) -> String {
        let parts: Vec<&str> = package.split('.').collect();
        let start = parts.len().saturating_sub(2);
        (0..=start)
            .rev()
            .map(|start| names::module(&parts[start..].join("_")))
            .find(|name| {
                let known = self.owners.get(name);
                known.is_none_or(|(_, owner)| owner == package)
            })
            .unwrap_or_else(|| names::module(package))
    }

    /// Named by group and version, with the full group where another group begins with the same label. The runtime's own
    /// modules, which are all of one group, are named by version.
    fn version_module(&self, group: &str, version: &str) -> String {
        fn label(group: &str) -> &str {
            match group.split('.').next() {
                None | Some("") => "core",
                Some(label) => label,
            }
        }
        let mut others = self.packages.values().map(|(other, _)| other.as_str());
        if self.own_meta {
            names::module(version)
        } else if others.any(|other| other != group && label(other) == label(group)) {
            names::module(&format!("{group}_{version}"))
        } else {
            names::module(&format!("{}_{version}", label(group)))
        }
    }

    fn named(
        &mut self,
        name: String,
        owner: String,
        version: Option<(String, String)>,
        is_meta: bool,
        at: &At,
    ) -> Result<usize, Error> {
        if let Some((index, other)) = self.owners.get(&name) {
            if *other == owner {
                return Ok(*index);
            }
            return Err(Error::at(
                at,
                format!("`{other}` and `{owner}` need the same module name `{name}`"),
            )
            .help("generate them into separate folders"));
        }
        let index = self.list.len();
        self.owners.insert(name.clone(), (index, owner));
        self.list.push(Module {
            name,
            version,
            is_meta,
            files: Vec::new(),
            items: Vec::new(),
            lists: Vec::new(),
            runtime: BTreeSet::new(),
        });
        Ok(index)
    }
}
