//! The constraints of types, for `validate()`: the parts of their schemas that restrict values, as JSON Schema.

mod reduce;
mod text;

use crate::documents::{Document, Documents};
use crate::error::{At, Error};
use crate::json::Json;
use crate::model::{Key, Model};
use crate::plan::{Item, Origin, Plan};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The constraints of a module's types.
#[derive(Debug)]
pub(crate) struct Constraints {
    /// The types, each with the name of its definition.
    pub(crate) types: Vec<(usize, String)>,
    /// The definitions as JSON.
    pub(crate) text: String,
}

/// The constraints of the types of every module: of its kinds, or of all its named schemas where there are no kinds.
pub(crate) fn of_modules(
    documents: &Documents,
    model: &Model,
    plan: &Plan,
) -> Result<BTreeMap<usize, Constraints>, Error> {
    let names: HashMap<String, &Key> = model
        .schemas
        .iter()
        .map(|(key, schema)| (schema.at.to_string(), key))
        .collect();
    let mut modules = BTreeMap::new();
    for (index, module) in plan.modules.iter().enumerate() {
        if plan.kinds() > 0 && module.version.is_none() {
            continue;
        }
        let mut found = Definitions {
            documents,
            names: &names,
            open: Vec::new(),
            read: BTreeMap::new(),
        };
        let mut types = Vec::new();
        for &item in &module.items {
            let planned = &plan.items[item];
            if let Some(key) = constrained(planned, plan.kinds() > 0) {
                let document = documents.named(&planned.at.file);
                if let Some(document) = document {
                    found
                        .open
                        .push((key.to_string(), document, planned.at.clone()));
                    types.push((item, key.to_string()));
                }
            }
        }
        if types.is_empty() {
            continue;
        }
        found.read_all()?;
        let kinds = types.iter().filter(|(item, _)| plan.items[*item].is_kind());
        let kinds: Vec<&str> = kinds.map(|(_, name)| name.as_str()).collect();
        let text = text::of_definitions(&found.read, &kinds);
        modules.insert(index, Constraints { types, text });
    }
    Ok(modules)
}

/// A note for each module whose constraints `validate()` cannot read, so that it checks nothing.
pub(crate) fn unreadable(plan: &Plan, constraints: &BTreeMap<usize, Constraints>) -> Vec<String> {
    #[cfg(not(feature = "validate"))]
    let error = |_: &str| None::<String>;
    #[cfg(feature = "validate")]
    let error = |text: &str| {
        let definitions = serde_json::from_str(text).ok()?;
        k8s_flowcontrol_constraints::Definitions::new(&definitions).err()
    };
    let modules = constraints.iter().filter_map(|(index, constraints)| {
        let name = &plan.modules[*index].name;
        let error = error(&constraints.text)?;
        Some(format!(
            "`validate()` checks nothing in the module `{name}`: {error}"
        ))
    });
    modules.collect()
}

/// The schema of a type that gets `validate()`.
fn constrained(item: &Item, has_kinds: bool) -> Option<&Key> {
    match (&item.origin, item.structure()) {
        (Origin::Schema(key), Some(_)) if !has_kinds || item.is_kind() => Some(key),
        _ => None,
    }
}

struct Definitions<'a> {
    documents: &'a Documents,
    /// The named schemas by their places.
    names: &'a HashMap<String, &'a Key>,
    /// Schemas that are not read yet.
    open: Vec<(String, Arc<Document>, At)>,
    read: BTreeMap<String, Json>,
}

impl Definitions<'_> {
    fn read_all(&mut self) -> Result<(), Error> {
        while let Some((name, document, at)) = self.open.pop() {
            if self.read.contains_key(&name) {
                continue;
            }
            let tokens: Vec<String> = at
                .pointer
                .split('/')
                .skip(1)
                .map(|token| token.replace("~1", "/").replace("~0", "~"))
                .collect();
            let schema = match document.find(&tokens) {
                Some(node) => self.reduce(&document, &node)?,
                None => Json::Bool(true),
            };
            self.read.insert(name, schema);
        }
        Ok(())
    }

    /// The name of the definition to which a reference leads; `None` if it has no constraints: a type of the runtime, or one that
    /// stands for any JSON.
    fn reference(
        &mut self,
        document: &Arc<Document>,
        reference: &str,
        at: &At,
    ) -> Result<Option<String>, Error> {
        let (target, tokens) = match self.documents.resolve(document, reference, at) {
            Err(_) if self.documents.missing_as_json => return Ok(None),
            resolved => resolved?,
        };
        let root = At::root(&target.name);
        let place = tokens.iter().fold(root, |at, token| at.child(token));
        let Some(key) = self.names.get(&place.to_string()) else {
            return Ok(None);
        };
        if key.package.starts_with("io.k8s.apimachinery.") {
            return Ok(None);
        }
        let name = key.to_string();
        self.open.push((name.clone(), target, place));
        Ok(Some(name))
    }
}
