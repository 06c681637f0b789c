//! Types that several versions of a group share: the first given version owns them.

use crate::error::Error;
use crate::plan::{Body, Item, Plan, Shape, Struct};
use std::collections::HashMap;
use std::fmt::Write;

/// Items that another version owns, each with the owner's item.
#[derive(Debug, Default)]
pub(crate) struct Sharing {
    /// Rust types with the same names, field types and references.
    pub(crate) types: HashMap<usize, usize>,
    /// Runtime schemas that agree in everything, merge rules included.
    pub(crate) schemas: HashMap<usize, usize>,
}

impl Sharing {
    pub(crate) fn new(plan: &Plan) -> Self {
        let mut sharing = Self::default();
        let mut groups: Vec<&str> = Vec::new();
        for (group, _) in plan.modules.iter().filter_map(|m| m.version.as_ref()) {
            if !groups.contains(&group.as_str()) {
                groups.push(group);
            }
        }
        for group in groups {
            let of_group = |m: &&crate::plan::Module| {
                m.version.as_ref().is_some_and(|(other, _)| other == group)
            };
            let items: Vec<usize> = plan
                .modules
                .iter()
                .filter(of_group)
                .flat_map(|m| &m.items)
                .copied()
                .collect();
            sharing.types.extend(owners(&items, &|item, class| {
                type_signature(plan, item, class)
            }));
            let structs: Vec<usize> = items
                .into_iter()
                .filter(|&item| plan.items[item].structure().is_some())
                .collect();
            sharing.schemas.extend(owners(&structs, &|item, class| {
                schema_signature(plan, item, class)
            }));
        }
        sharing
    }

    /// The list of shared types, in the form of the checked-in file.
    pub(crate) fn list(&self, plan: &Plan) -> String {
        let mut text = String::from(
            "# Types that a version takes from another version: names, field types and references agree.\n\
             # Generation fails when this list differs. Each line is a promise to users.\n",
        );
        for module in &plan.modules {
            let mut lines: Vec<String> = module
                .items
                .iter()
                .filter_map(|item| Some((item, self.types.get(item)?)))
                .map(|(&item, &owner)| {
                    let owner_module = &plan.modules[plan.items[owner].module].name;
                    let ident = &plan.items[item].ident;
                    format!("{}::{ident} = {owner_module}::{ident}", module.name)
                })
                .collect();
            lines.sort_unstable();
            for line in lines {
                text.push_str(&line);
                text.push('\n');
            }
        }
        text
    }

    /// Compares the checked-in list with the shared types.
    pub(crate) fn check(&self, plan: &Plan, expected: &str) -> Result<(), Error> {
        fn entries(text: &str) -> Vec<&str> {
            text.lines()
                .map(str::trim)
                .filter(|l| !l.is_empty() && !l.starts_with('#'))
                .collect()
        }
        let found = self.list(plan);
        let (expected, found) = (entries(expected), entries(&found));
        let mut difference = String::new();
        for line in expected.iter().filter(|line| !found.contains(line)) {
            let _ = write!(difference, "\n  - {line}");
        }
        for line in found.iter().filter(|line| !expected.contains(line)) {
            let _ = write!(difference, "\n  + {line}");
        }
        if difference.is_empty() {
            return Ok(());
        }
        Err(Error::new(format!("the list of shared types differs from the documents:{difference}")).help(
            "types with `-` are no longer shared, which breaks users who pass one version's value as \
             another's; types with `+` are shared now; change the list to accept both",
        ))
    }
}

/// Gives the class of the item to which another item refers.
type ClassOf<'a> = &'a dyn Fn(usize) -> String;

/// Splits items into classes of equal items, at any depth of references: all items start in one class,
/// and classes are split until the items of each class refer to the same classes.
fn owners(
    items: &[usize],
    signature: &dyn Fn(usize, ClassOf<'_>) -> String,
) -> HashMap<usize, usize> {
    let mut classes: HashMap<usize, usize> = items.iter().map(|&item| (item, 0)).collect();
    let mut count = 1;
    loop {
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut next = HashMap::new();
        for &item in items {
            let class_of = |other: usize| match classes.get(&other) {
                Some(class) => format!("class {class}"),
                None => format!("item {other}"),
            };
            let fresh = known.len();
            // The text contains the old class, so that classes are split and never merged.
            let text = format!(
                "{} {}",
                classes.get(&item).copied().unwrap_or(0),
                signature(item, &class_of)
            );
            next.insert(item, *known.entry(text).or_insert(fresh));
        }
        let stable = known.len() == count;
        count = known.len();
        classes = next;
        if stable {
            break;
        }
    }
    let mut first: HashMap<usize, usize> = HashMap::new();
    let mut owners = HashMap::new();
    for &item in items {
        let Some(&class) = classes.get(&item) else {
            continue;
        };
        let owner = *first.entry(class).or_insert(item);
        if owner != item {
            owners.insert(item, owner);
        }
    }
    owners
}

fn type_signature(plan: &Plan, index: usize, class: ClassOf<'_>) -> String {
    let item = &plan.items[index];
    let body = match &item.body {
        Body::Enum(values) => return format!("enum {} {values:?}", item.ident),
        // Kinds are never shared: defaults, conversion and rules belong to the versioned kind.
        Body::Struct(Struct {
            type_meta: Some(_), ..
        }) => return format!("kind {index}"),
        Body::Struct(body) => body,
    };
    let mut text = format!("struct {}", item.ident);
    for field in &body.fields {
        let _ = write!(
            text,
            "; {} {} {}",
            field.name,
            field.is_plain(),
            shape_signature(&field.shape, class)
        );
    }
    text
}

fn shape_signature(shape: &Shape, class: ClassOf<'_>) -> String {
    match shape {
        Shape::Scalar(scalar) => format!("{scalar:?}"),
        Shape::Item(item) => class(*item),
        Shape::Runtime(name) => format!("meta {name}"),
        Shape::List(element, _) => format!("list of {}", shape_signature(element, class)),
        Shape::Map(value, _) => format!("map of {}", shape_signature(value, class)),
        Shape::Nullable(value) => format!("nullable {}", shape_signature(value, class)),
        Shape::ManagedFields => "managed fields".to_owned(),
    }
}

fn schema_signature(plan: &Plan, index: usize, class: ClassOf<'_>) -> String {
    let item: &Item = &plan.items[index];
    let Some(body) = item.structure() else {
        return format!("item {index}");
    };
    let class = |other: usize| match plan.items[other].structure() {
        None => "String".to_owned(),
        Some(_) => class(other),
    };
    let mut text = format!("struct {} {} {}", item.ident, body.atomic, body.preserving);
    for field in &body.fields {
        let (required, facts) = (field.required, &field.facts);
        let _ = write!(text, "; {} {required} {facts:?} ", field.name);
        let _ = write!(
            text,
            "{:?} {}",
            kinds(&field.shape),
            shape_signature(&field.shape, &class)
        );
    }
    text
}

/// The merge rules of a shape, the innermost first.
fn kinds(shape: &Shape) -> Vec<String> {
    match shape {
        Shape::List(element, kind) => {
            let mut all = kinds(element);
            all.push(format!("{kind:?}"));
            all
        }
        Shape::Map(value, atomic) => {
            let mut all = kinds(value);
            all.push(format!("{atomic}"));
            all
        }
        _ => Vec::new(),
    }
}
