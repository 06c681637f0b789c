//! Selection of kinds, and of their fields: schemas keep the fields that are asked for, and objects keep all others in `unknown`.

use crate::error::{At, Error};
use crate::model::{Key, Model, ObjectType, Served, Type};
use crate::plan::without_metadata;
use std::collections::{BTreeMap, BTreeSet};

/// The fields of a kind, as paths such as `status.phase`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldsOf {
    pub(crate) kind: String,
    pub(crate) paths: Vec<String>,
}

/// Removes the kinds that are not among `kinds`, unless that is empty.
pub(crate) fn select_kinds(
    model: &Model,
    served: &mut BTreeMap<Key, Served>,
    kinds: &[String],
) -> Result<(), Error> {
    for kind in kinds {
        if !served.values().any(|entry| entry.kind.kind == *kind) {
            return Err(unknown_kind(model, served, kind));
        }
    }
    if !kinds.is_empty() {
        served.retain(|_, entry| kinds.contains(&entry.kind.kind));
    }
    Ok(())
}

/// Removes the fields that no kind needs from the schemas.
pub(crate) fn apply(
    model: &mut Model,
    served: &BTreeMap<Key, Served>,
    fields: &[FieldsOf],
) -> Result<(), Error> {
    if fields.is_empty() {
        return Ok(());
    }
    let mut needs = Needs {
        model,
        schemas: BTreeMap::new(),
    };
    for of in fields {
        if !served.values().any(|entry| entry.kind.kind == of.kind) {
            return Err(unknown_kind(model, served, &of.kind));
        }
    }
    for (key, entry) in served {
        if fields.iter().all(|of| of.kind != entry.kind.kind) {
            needs.whole(key);
        }
    }
    for of in fields {
        let versions = served.iter().filter(|(_, e)| e.kind.kind == of.kind);
        let versions: Vec<&Key> = versions.map(|(key, _)| key).collect();
        for path in &of.paths {
            needs.path(&versions, path).map_err(|(key, missing)| {
                let at = model.schemas.get(key).map(|schema| schema.at.clone());
                missing.error(&format!("{}.{path}", of.kind), at)
            })?;
        }
        for key in versions {
            // Every object has them.
            for field in ["apiVersion", "kind", "metadata"] {
                let _ = needs.named(key, &[field]);
            }
        }
    }
    let needed = needs.schemas;
    let secret = secret_schemas(model);
    for (key, need) in needed {
        if let (Need::Part(fields), Some(schema)) = (need, model.schemas.get_mut(&key)) {
            prune(&mut schema.value, &fields, &secret);
        }
    }
    Ok(())
}

/// Makes sure that the documents have named schemas of these names.
pub(crate) fn check_schemas(model: &Model, names: &[String]) -> Result<(), Error> {
    let known = |name: &&String| model.schemas.keys().any(|key| key.name == **name);
    match names.iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => Err(Error::new(format!("no document has the schema `{name}`"))
            .help("give the name as it stands below `components/schemas` or `$defs`")),
    }
}

fn unknown_kind(model: &Model, served: &BTreeMap<Key, Served>, kind: &str) -> Error {
    let error = Error::new(format!("no document serves the kind `{kind}`"));
    let mut without = without_metadata(model);
    if let Some(without) = without.find(|without| without.kind == kind) {
        return error.help(without.to_string());
    }
    let mut kinds: Vec<&str> = served.values().map(|entry| &*entry.kind.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    error.help(match kinds.len() {
        0 => "the documents serve no kind: give an OpenAPI document with `paths`, or a CustomResourceDefinition".to_owned(),
        _ => format!("the documents serve {}", kinds.join(", ")),
    })
}

/// The fields of an object that are needed.
enum Need {
    Whole,
    Part(BTreeMap<String, Need>),
}

/// A path that leads nowhere.
struct Missing {
    step: String,
    offered: Vec<String>,
}

impl Missing {
    fn error(self, path: &str, at: Option<At>) -> Error {
        let message = format!(
            "`{path}` leads to no field: there is no `{}` on its way",
            self.step
        );
        let help = match self.offered.len() {
            0 => "shorten the path: the value there does not have fields".to_owned(),
            _ => format!("the fields there are {}", self.offered.join(", ")),
        };
        let error = match at {
            Some(at) => Error::at(&at, message),
            None => Error::new(message),
        };
        error.help(help)
    }
}

struct Needs<'a> {
    model: &'a Model,
    /// The needed fields of named schemas.
    schemas: BTreeMap<Key, Need>,
}

impl<'a> Needs<'a> {
    /// Needs the field of a kind, which at least one version must have.
    fn path<'k>(&mut self, versions: &[&'k Key], path: &str) -> Result<(), (&'k Key, Missing)> {
        let steps: Vec<&str> = path.split('.').collect();
        let mut missing = None;
        let mut found = false;
        for &key in versions {
            match self.named(key, &steps) {
                Ok(()) => found = true,
                Err(error) => missing = Some((key, error)),
            }
        }
        match missing {
            Some(error) if !found => Err(error),
            _ => Ok(()),
        }
    }

    /// Needs a named schema and all to which it refers.
    fn whole(&mut self, key: &Key) {
        if matches!(self.schemas.get(key), Some(Need::Whole)) {
            return;
        }
        self.schemas.insert(key.clone(), Need::Whole);
        let model = self.model;
        if let Some(schema) = model.schemas.get(key) {
            self.references(&schema.value);
        }
    }

    fn references(&mut self, value: &Type) {
        match value {
            Type::Reference(key, _) => self.whole(key),
            Type::List(inner, _) | Type::Map(inner, _) | Type::Nullable(inner) => {
                self.references(inner);
            }
            Type::Object(object) => {
                object.fields.iter().for_each(|f| self.references(&f.value));
            }
            Type::Scalar(_) | Type::Enum(_) => {}
        }
    }

    /// Needs the field at the end of `steps` below a named schema.
    fn named(&mut self, key: &Key, steps: &[&str]) -> Result<(), Missing> {
        let model = self.model;
        let Some(schema) = model.schemas.get(key) else {
            // The runtime has this schema, always whole.
            return Ok(());
        };
        let mut need = self.schemas.remove(key).unwrap_or_else(Need::none);
        let result = self.below(&schema.value, steps, &mut need);
        // A cycle may have come back to the schema.
        let again = self.schemas.remove(key).unwrap_or_else(Need::none);
        self.schemas.insert(key.clone(), need.and(again));
        result
    }

    /// Needs the field at the end of `steps` below a value. Lists and maps do not take a step.
    fn below(&mut self, value: &'a Type, steps: &[&str], need: &mut Need) -> Result<(), Missing> {
        match value {
            Type::List(inner, _) | Type::Map(inner, _) | Type::Nullable(inner) => {
                self.below(inner, steps, need)
            }
            Type::Reference(key, _) if steps.is_empty() => {
                self.whole(key);
                Ok(())
            }
            Type::Reference(key, _) if crate::runtime::is_own_meta(key) => Ok(()),
            Type::Reference(key, _) => self.named(key, steps),
            _ if steps.is_empty() => {
                *need = Need::Whole;
                self.references(value);
                Ok(())
            }
            Type::Object(object) => self.field(object, steps, need),
            Type::Scalar(_) | Type::Enum(_) => Err(Missing {
                step: steps.first().copied().unwrap_or_default().to_owned(),
                offered: Vec::new(),
            }),
        }
    }

    fn field(
        &mut self,
        object: &'a ObjectType,
        steps: &[&str],
        need: &mut Need,
    ) -> Result<(), Missing> {
        let Some((first, rest)) = steps.split_first() else {
            return Ok(());
        };
        let Some(field) = object.fields.iter().find(|field| field.name == *first) else {
            return Err(Missing {
                step: (*first).to_owned(),
                offered: object.fields.iter().map(|f| f.name.clone()).collect(),
            });
        };
        match need {
            Need::Whole => self.below(&field.value, rest, &mut Need::none()),
            Need::Part(fields) => {
                let inner = fields.entry(field.name.clone()).or_insert_with(Need::none);
                self.below(&field.value, rest, inner)
            }
        }
    }
}

impl Need {
    fn none() -> Self {
        Self::Part(BTreeMap::new())
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Part(mut fields), Self::Part(others)) => {
                for (name, need) in others {
                    let known = fields.remove(&name).unwrap_or_else(Self::none);
                    fields.insert(name, known.and(need));
                }
                Self::Part(fields)
            }
            _ => Self::Whole,
        }
    }
}

/// Keeps the fields of a schema that are needed. `unknown` hides the others if they may hold secrets.
fn prune(value: &mut Type, needed: &BTreeMap<String, Need>, secret: &BTreeSet<Key>) {
    match value {
        Type::List(inner, _) | Type::Map(inner, _) | Type::Nullable(inner) => {
            prune(inner, needed, secret);
        }
        Type::Object(object) => {
            let lost = object
                .fields
                .iter()
                .filter(|f| !needed.contains_key(&f.name));
            object.has_secrets |= lost.into_iter().any(|f| holds_secret(&f.value, secret));
            object
                .fields
                .retain(|field| needed.contains_key(&field.name));
            for field in &mut object.fields {
                if let Some(Need::Part(inner)) = needed.get(&field.name) {
                    prune(&mut field.value, inner, secret);
                }
            }
        }
        Type::Reference(..) | Type::Scalar(_) | Type::Enum(_) => {}
    }
}

/// The named schemas that hold secrets, at any depth.
fn secret_schemas(model: &Model) -> BTreeSet<Key> {
    let mut secret = BTreeSet::new();
    loop {
        let before = secret.len();
        for (key, schema) in &model.schemas {
            if holds_secret(&schema.value, &secret) {
                secret.insert(key.clone());
            }
        }
        if secret.len() == before {
            return secret;
        }
    }
}

fn holds_secret(value: &Type, secret: &BTreeSet<Key>) -> bool {
    match value {
        Type::Reference(key, _) => secret.contains(key),
        Type::List(inner, _) | Type::Map(inner, _) | Type::Nullable(inner) => {
            holds_secret(inner, secret)
        }
        Type::Object(object) => {
            let mut fields = object.fields.iter();
            object.has_secrets || fields.any(|field| holds_secret(&field.value, secret))
        }
        Type::Scalar(_) | Type::Enum(_) => false,
    }
}
