//! What is to be written: modules, and the types in each.

mod check;
mod cycles;
mod fields;
mod fullness;
mod modules;
mod served;

use crate::error::{At, Error};
use crate::model::{FieldFacts, Key, ListKind, Scalar};
use crate::read::Model;
use proc_macro2::TokenStream;
use std::collections::BTreeMap;

pub(crate) use served::{Served, group_version};

/// Everything that is to be written.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) modules: Vec<Module>,
    /// The types of all modules.
    pub(crate) items: Vec<Item>,
}

/// A Rust module.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) name: String,
    /// The API group and version, when the documents say what is served there.
    pub(crate) version: Option<(String, String)>,
    /// Whether this is the runtime's own module of shared schemas.
    pub(crate) is_meta: bool,
    /// The files that it comes from.
    pub(crate) files: Vec<String>,
    pub(crate) items: Vec<usize>,
    pub(crate) lists: Vec<ListAlias>,
}

/// A list of a kind: an alias of the runtime's list.
#[derive(Debug)]
pub(crate) struct ListAlias {
    pub(crate) name: String,
    pub(crate) description: String,
    /// The kind's item.
    pub(crate) item: usize,
}

/// A type.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) module: usize,
    pub(crate) origin: Origin,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) at: At,
    pub(crate) body: Body,
    /// The Rust name; empty until typify has given one.
    pub(crate) ident: String,
}

/// Where an item's name comes from.
#[derive(Debug)]
pub(crate) enum Origin {
    /// A named schema.
    Schema(Key),
    /// A member's schema written in place.
    Inline { parent: usize, field: String },
}

#[derive(Debug)]
pub(crate) enum Body {
    Struct(Struct),
    Enum(Vec<String>),
}

#[derive(Debug, Default)]
pub(crate) struct Struct {
    pub(crate) fields: Vec<PlannedField>,
    /// Whether an object is owned as a whole.
    pub(crate) atomic: bool,
    /// The `apiVersion` and kind that belong to the type.
    pub(crate) type_meta: Option<(String, String)>,
    pub(crate) served: Option<Served>,
}

/// A member of a struct.
#[derive(Debug)]
pub(crate) struct PlannedField {
    pub(crate) name: String,
    /// The Rust name; empty until typify has given one.
    pub(crate) ident: String,
    pub(crate) shape: Shape,
    pub(crate) required: bool,
    /// The Rust type without `Option` and `Box`; empty until typify has given one.
    pub(crate) value_type: TokenStream,
    /// Whether typify makes the field an `Option`.
    pub(crate) optional: bool,
    /// Whether the value stands behind a pointer, so that the type has a size.
    pub(crate) boxed: bool,
    /// Whether it is `apiVersion` or `kind` of a type that these belong to.
    pub(crate) is_type_meta: bool,
    /// Whether the type keeps it among its unknown members, having as many fields as it can.
    pub(crate) is_kept_unknown: bool,
    pub(crate) description: String,
    pub(crate) facts: FieldFacts,
    pub(crate) at: At,
}

impl PlannedField {
    /// Whether the struct has a field for it.
    pub(crate) fn has_field(&self) -> bool {
        !self.is_type_meta && !self.is_kept_unknown
    }

    /// Whether the field is neither an `Option` nor empty when absent.
    pub(crate) fn is_plain(&self) -> bool {
        self.required
            && !matches!(
                self.shape,
                Shape::List(..) | Shape::Map(..) | Shape::ManagedFields
            )
    }
}

/// The type of a value, with references followed.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Scalar(Scalar),
    Item(usize),
    /// A struct of the runtime's `meta` module.
    Runtime(&'static str),
    List(Box<Shape>, ListKind),
    Map(Box<Shape>, bool),
    /// `metadata.managedFields`.
    ManagedFields,
}

/// How the generator was asked to work.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    /// Generate the shared schemas as the runtime's own module `meta`.
    pub(crate) own_meta: bool,
}

impl<'a> Plan {
    pub(crate) fn new(model: &'a Model, options: Options) -> Result<Self, Error> {
        let served = served::find(model)?;
        let mut builder = Builder {
            model,
            options,
            packages: served::packages(model, &served)?,
            top_level: top_level(model),
            served,
            plan: Plan {
                modules: Vec::new(),
                items: Vec::new(),
            },
            module_of: BTreeMap::new(),
            item_of: BTreeMap::new(),
            titled: BTreeMap::new(),
            queue: Vec::new(),
        };
        builder.build()?;
        let mut plan = builder.plan;
        plan.order();
        fullness::limit(&mut plan);
        cycles::cut(&mut plan)?;
        Ok(plan)
    }

    /// How many kinds have paths of their own.
    pub(crate) fn kinds(&self) -> usize {
        let served =
            |item: &&Item| matches!(&item.body, Body::Struct(body) if body.served.is_some());
        self.items.iter().filter(served).count()
    }

    pub(crate) fn structs_of(
        &self,
        module: usize,
    ) -> impl Iterator<Item = (usize, &Item, &Struct)> {
        self.modules[module]
            .items
            .iter()
            .filter_map(|&index| match &self.items[index].body {
                Body::Struct(body) => Some((index, &self.items[index], body)),
                Body::Enum(_) => None,
            })
    }
}

/// The schemas that are the whole body of a request or response.
fn top_level(model: &Model) -> Vec<&Key> {
    let operations = model.documents.iter().flat_map(|d| &d.operations);
    let mut keys: Vec<&Key> = operations
        .flat_map(|o| {
            o.body
                .iter()
                .chain(o.responses.iter().map(|(_, content)| content))
        })
        .filter_map(|content| content.schema.as_ref())
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

struct Builder<'a> {
    model: &'a Model,
    options: Options,
    /// Packages whose kinds are served, with group and version.
    packages: BTreeMap<String, (String, String)>,
    served: BTreeMap<Key, Served>,
    top_level: Vec<&'a Key>,
    plan: Plan,
    /// Module names with what each stands for.
    module_of: BTreeMap<String, (usize, String)>,
    item_of: BTreeMap<Key, usize>,
    /// Enums with a title, by module.
    titled: BTreeMap<(usize, String), usize>,
    /// Items of named schemas whose bodies are still empty.
    queue: Vec<(usize, Key)>,
}

impl Plan {
    /// Puts schemas that stand in place behind those that they belong to, and sorts the schemas of
    /// packages that are only referred to by name.
    fn order(&mut self) {
        for module in &mut self.modules {
            let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            let mut roots: Vec<(&str, usize)> = Vec::new();
            for &index in &module.items {
                match &self.items[index].origin {
                    Origin::Schema(key) => roots.push((&key.name, index)),
                    Origin::Inline { parent, .. } => {
                        children.entry(*parent).or_default().push(index)
                    }
                }
            }
            if module.files.is_empty() {
                roots.sort_unstable();
            }
            let mut open: Vec<usize> = roots.iter().rev().map(|(_, index)| *index).collect();
            let mut ordered = Vec::with_capacity(module.items.len());
            while let Some(index) = open.pop() {
                ordered.push(index);
                open.extend(children.get(&index).into_iter().flatten().rev());
            }
            module.items = ordered;
        }
    }
}
