//! Which module a schema lives in, and which schemas are written at all.

use super::{Builder, Module, Shape};
use crate::error::{At, Error};
use crate::known;
use crate::model::{Key, Type};
use crate::names;

impl<'a> Builder<'a> {
    pub(super) fn build(&mut self) -> Result<(), Error> {
        let model = self.model;
        for document in &model.documents {
            let own = |key: &&Key| self.packages.contains_key(&key.package);
            let serves = document.keys.iter().any(|key| own(&key));
            let (roots, rest): (Vec<&Key>, Vec<&Key>) =
                document.keys.iter().partition(|key| !serves || own(key));
            for key in roots {
                self.root(key)?;
            }
            for key in rest {
                if self.top_level.contains(&key) {
                    self.root(key)?;
                }
            }
            self.finish_items()?;
        }
        self.lists()
    }

    /// Writes the schema, unless the runtime has it or nothing is to be written for it.
    fn root(&mut self, key: &'a Key) -> Result<(), Error> {
        let Some(schema) = self.model.schemas.get(key) else {
            return Ok(());
        };
        if self.is_list(key).is_some() {
            return Ok(());
        }
        let shape = self.reference(key, &schema.at, 0)?;
        if let Shape::Item(item) = shape {
            let module = self.plan.items[item].module;
            let file = schema.at.file.to_string();
            let files = &mut self.plan.modules[module].files;
            if !files.contains(&file) {
                files.push(file);
            }
        }
        Ok(())
    }

    /// The module of a schema.
    pub(super) fn module(&mut self, key: &Key, at: &At) -> Result<usize, Error> {
        let meta = self.options.own_meta
            && key
                .package
                .starts_with(known::SHARED_PACKAGE.trim_end_matches('.'));
        let version = self.packages.get(&key.package).cloned();
        let (name, owner) = if meta {
            ("meta".to_owned(), known::SHARED_PACKAGE.to_owned())
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
        self.named_module(name, owner, version, meta, at)
    }

    /// The last two parts of the package, or more where those are another package's.
    fn package_module(&self, package: &str) -> String {
        let parts: Vec<&str> = package.split('.').collect();
        let start = parts.len().saturating_sub(2);
        (0..=start)
            .rev()
            .map(|start| names::module(&parts[start..].join("_")))
            .find(|name| {
                let known = self.module_of.get(name);
                known.is_none_or(|(_, owner)| owner == package)
            })
            .unwrap_or_else(|| names::module(package))
    }

    /// One group has modules named by version; several need the group's name too, in full where its
    /// first label is another group's.
    fn version_module(&self, group: &str, version: &str) -> String {
        fn label(group: &str) -> &str {
            match group.split('.').next() {
                None | Some("") => "core",
                Some(label) => label,
            }
        }
        let mut others = self.packages.values().map(|(other, _)| other.as_str());
        let mut others = others.by_ref().filter(|other| *other != group).peekable();
        if others.peek().is_none() {
            names::module(version)
        } else if others.any(|other| label(other) == label(group)) {
            names::module(&format!("{group}_{version}"))
        } else {
            names::module(&format!("{}_{version}", label(group)))
        }
    }

    fn named_module(
        &mut self,
        name: String,
        owner: String,
        version: Option<(String, String)>,
        is_meta: bool,
        at: &At,
    ) -> Result<usize, Error> {
        if let Some((index, other)) = self.module_of.get(&name) {
            if *other == owner {
                return Ok(*index);
            }
            return Err(Error::at(
                at,
                format!("`{other}` and `{owner}` would both be the module `{name}`"),
            )
            .help("generate them into separate folders"));
        }
        let index = self.plan.modules.len();
        self.module_of.insert(name.clone(), (index, owner));
        self.plan.modules.push(Module {
            name,
            version,
            is_meta,
            files: Vec::new(),
            items: Vec::new(),
            lists: Vec::new(),
        });
        Ok(index)
    }

    /// The schema of the items, when the schema is a list of a kind that is served.
    pub(super) fn is_list(&self, key: &Key) -> Option<&'a Key> {
        let schema = self.model.schemas.get(key)?;
        let Type::Object(object) = &schema.value else {
            return None;
        };
        let [kind] = schema.kinds.as_slice() else {
            return None;
        };
        if !kind.kind.ends_with("List") {
            return None;
        }
        let field = |name: &str| {
            object
                .fields
                .iter()
                .find(|f| f.name == name)
                .map(|f| &f.value)
        };
        match (field("metadata")?, field("items")?) {
            (Type::Reference(meta, _), Type::List(element, _)) if meta.is(known::LIST_META) => {
                match &**element {
                    Type::Reference(item, _)
                        if self.served.contains_key(item) && item.package == key.package =>
                    {
                        Some(item)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn lists(&mut self) -> Result<(), Error> {
        for (key, schema) in &self.model.schemas {
            let Some(item_key) = self.is_list(key) else {
                continue;
            };
            let Some(&item) = self.item_of.get(item_key) else {
                continue;
            };
            let Type::Object(object) = &schema.value else {
                continue;
            };
            let module = self.module(key, &schema.at)?;
            self.plan.modules[module].lists.push(super::ListAlias {
                name: names::type_name(&key.name),
                description: object.description.clone(),
                item,
            });
        }
        Ok(())
    }
}
