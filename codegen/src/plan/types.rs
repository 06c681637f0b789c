//! The plan's types: modules, items, structs and fields.

use crate::error::At;
use crate::model::{FieldFacts, Key, ListKind, Scalar, Served};
use proc_macro2::TokenStream;
use std::collections::{BTreeSet, HashSet};

/// The modules and types to write.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) modules: Vec<Module>,
    pub(crate) items: Vec<Item>,
}

#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) name: String,
    /// The API group and version, if the documents serve kinds of them.
    pub(crate) version: Option<(String, String)>,
    /// Whether this is the runtime's own module of shared schemas.
    pub(crate) is_meta: bool,
    /// The given files with its schemas; empty for a package that is only referred to.
    pub(crate) files: Vec<String>,
    pub(crate) items: Vec<usize>,
    pub(crate) lists: Vec<ListAlias>,
    /// Schemas of the package for which the runtime has the types.
    pub(crate) runtime: BTreeSet<&'static str>,
}

/// A list of a kind: an alias of the runtime's list.
#[derive(Debug)]
pub(crate) struct ListAlias {
    pub(crate) name: String,
    pub(crate) description: String,
    /// The kind's item.
    pub(crate) item: usize,
}

#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) module: usize,
    pub(crate) origin: Origin,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) at: At,
    pub(crate) body: Body,
    /// The Rust name; empty until typify supplies it.
    pub(crate) ident: String,
}

impl Item {
    /// The struct; `None` for an enum.
    pub(crate) fn structure(&self) -> Option<&Struct> {
        match &self.body {
            Body::Struct(body) => Some(body),
            Body::Enum(_) => None,
        }
    }

    /// The fields of the struct; none for an enum.
    pub(crate) fn fields(&self) -> &[PlannedField] {
        self.structure().map_or(&[], |body| &body.fields)
    }

    /// Whether the type is a kind with its own paths.
    pub(crate) fn is_kind(&self) -> bool {
        self.structure().is_some_and(|body| body.served.is_some())
    }
}

/// The origin of an item's name.
#[derive(Debug)]
pub(crate) enum Origin {
    Schema(Key),
    /// An inline schema, and the places of all equal ones in the module.
    Inline(Vec<Place>),
}

/// The place of an inline schema: the fields that lead to it from a named schema.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The name of the named schema.
    pub(crate) root: String,
    pub(crate) steps: Vec<Step>,
}

impl Place {
    /// The name of the last field.
    pub(crate) fn field(&self) -> &str {
        self.steps.last().map_or("", |step| &step.field)
    }
}

/// A field on the way to an inline schema.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Step {
    pub(crate) field: String,
    /// Whether the schema is that of the field's elements or values.
    pub(crate) is_element: bool,
}

#[derive(Debug)]
pub(crate) enum Body {
    Struct(Struct),
    Enum(Vec<String>),
}

#[derive(Debug, Default)]
pub(crate) struct Struct {
    pub(crate) fields: Vec<PlannedField>,
    /// Whether one field manager owns the whole object.
    pub(crate) atomic: bool,
    /// Whether a server keeps fields that are not among these.
    pub(crate) preserving: bool,
    /// Whether a field is secret, also if it is not generated.
    pub(crate) has_secrets: bool,
    /// Whether the struct holds an `f64`, which is neither `Eq` nor `Hash`.
    pub(crate) has_floats: bool,
    /// The `apiVersion` and kind that belong to the type.
    pub(crate) type_meta: Option<(String, String)>,
    pub(crate) served: Option<Box<Served>>,
}

#[derive(Debug)]
pub(crate) struct PlannedField {
    pub(crate) name: String,
    /// The Rust name; empty until typify supplies it.
    pub(crate) ident: String,
    pub(crate) shape: Shape,
    pub(crate) required: bool,
    /// Whether `null` is its own value.
    pub(crate) nullable: bool,
    /// The Rust type; empty until typify supplies it.
    pub(crate) rust_type: TokenStream,
    /// The Rust type without `Option` and `Box`.
    pub(crate) value_type: TokenStream,
    /// Whether the value is in a `Box`, so that the type has a finite or a smaller size.
    pub(crate) boxed: bool,
    /// Whether the type itself determines the value: `apiVersion` and `kind` of a kind.
    pub(crate) is_type_meta: bool,
    /// Whether objects keep it in `unknown`, because the struct already has the maximum of fields.
    pub(crate) is_kept_unknown: bool,
    pub(crate) description: String,
    /// Its default, bounds and allowed values, as sentences.
    pub(crate) limits: String,
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
        let is_collection = matches!(
            self.shape,
            Shape::List(..) | Shape::Map(..) | Shape::ManagedFields
        );
        self.required && !is_collection && !self.may_be_null()
    }

    /// Whether the document allows `null`, or `null` is how Go writes the zero: no text is the zero of a time.
    pub(crate) fn may_be_null(&self) -> bool {
        use Scalar::{MicroTime, Time};
        self.nullable || matches!(self.shape, Shape::Scalar(Time | MicroTime))
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
    /// An element or a value that may be `null`.
    Nullable(Box<Shape>),
    /// `metadata.managedFields`.
    ManagedFields,
}

impl Shape {
    /// The item to which the shape refers, inside any number of lists and maps.
    pub(crate) fn item(&self) -> Option<usize> {
        match self {
            Self::Item(item) => Some(*item),
            Self::List(inner, _) | Self::Map(inner, _) | Self::Nullable(inner) => inner.item(),
            Self::Scalar(_) | Self::Runtime(_) | Self::ManagedFields => None,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// Generate the shared schemas as the runtime's own module `meta`.
    pub(crate) own_meta: bool,
    /// Generate only these kinds; all if empty.
    pub(crate) kinds: Vec<String>,
}

impl Plan {
    /// The number of kinds with their own paths.
    pub(crate) fn kinds(&self) -> usize {
        self.items.iter().filter(|item| item.is_kind()).count()
    }

    pub(crate) fn structs_of(
        &self,
        module: usize,
    ) -> impl Iterator<Item = (usize, &Item, &Struct)> {
        self.modules[module].items.iter().filter_map(|&index| {
            let item = &self.items[index];
            Some((index, item, item.structure()?))
        })
    }

    /// Puts inline schemas behind the first type that refers to them, and sorts the schemas of packages that are only
    /// referred to by name.
    pub(super) fn order(&mut self) {
        for index in 0..self.modules.len() {
            let module = &self.modules[index];
            let mut roots: Vec<(&str, usize)> = Vec::new();
            for &item in &module.items {
                if let Origin::Schema(key) = &self.items[item].origin {
                    roots.push((&key.name, item));
                }
            }
            if module.files.is_empty() {
                roots.sort_unstable();
            }
            let mut open: Vec<usize> = roots.iter().rev().map(|(_, item)| *item).collect();
            let mut ordered = Vec::with_capacity(module.items.len());
            let mut seen = HashSet::new();
            while let Some(item) = open.pop() {
                if seen.insert(item) {
                    ordered.push(item);
                    open.extend(self.inline_items(item).into_iter().rev());
                }
            }
            self.modules[index].items = ordered;
        }
    }

    /// The inline items to which the fields of an item refer.
    fn inline_items(&self, item: usize) -> Vec<usize> {
        let fields = self.items[item].fields().iter();
        let items = fields.filter_map(|field| field.shape.item());
        items
            .filter(|&item| matches!(self.items[item].origin, Origin::Inline(_)))
            .collect()
    }
}
