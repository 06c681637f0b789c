//! The constraints of a value.

use super::format::Format;
use super::rule::Rule;
use crate::violation::NotChecked;
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Schemas by their names.
pub(crate) type Nodes = BTreeMap<String, Node>;

/// A schema, and the schemas in it.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// The whole schema is a definition then.
    pub(crate) reference: Option<Reference>,
    /// The allowed types; empty for any.
    pub(crate) types: Vec<String>,
    pub(crate) nullable: bool,
    pub(crate) format: Option<Format>,
    /// The format as the schema has it.
    pub(crate) format_name: String,
    pub(crate) default: Option<Value>,
    pub(crate) allowed: Vec<Value>,
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_maximum: bool,
    pub(crate) minimum: Option<f64>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) min_length: Option<u64>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) max_items: Option<u64>,
    pub(crate) min_items: Option<u64>,
    pub(crate) unique_items: bool,
    pub(crate) max_properties: Option<u64>,
    pub(crate) min_properties: Option<u64>,
    pub(crate) required: Vec<String>,
    pub(crate) properties: Nodes,
    pub(crate) additional: Option<Additional>,
    pub(crate) items: Option<Box<Node>>,
    pub(crate) all_of: Vec<Node>,
    pub(crate) any_of: Vec<Node>,
    pub(crate) one_of: Vec<Node>,
    pub(crate) not: Option<Box<Node>>,
    pub(crate) list_type: ListType,
    pub(crate) int_or_string: bool,
    pub(crate) preserving: bool,
    /// Whether the value is an object with `apiVersion`, `kind` and `metadata`: the root, or an embedded resource.
    pub(crate) is_resource: bool,
    pub(crate) rules: Vec<Rule>,
    /// Keywords that restrict values and are not read here.
    pub(crate) unread: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) name: String,
    /// The JSON pointer of the reference.
    pub(crate) place: String,
}

/// `additionalProperties`.
#[derive(Debug)]
pub(crate) enum Additional {
    /// `false`.
    Forbidden,
    Schema(Box<Node>),
}

/// `pattern`, or why it is not a regular expression.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) text: String,
    pub(crate) compiled: Result<Regex, String>,
}

/// `x-kubernetes-list-type`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum ListType {
    #[default]
    Atomic,
    Set,
    Map(Vec<String>),
}

impl Node {
    /// The only type, if there is one.
    pub(crate) fn only_type(&self) -> Option<&str> {
        match self.types.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Follows references.
    pub(crate) fn resolve<'a>(&'a self, definitions: &'a Nodes) -> &'a Node {
        let mut node = self;
        // References that lead to each other are an error of reading.
        while let Some(found) = node
            .reference
            .as_ref()
            .and_then(|to| definitions.get(&to.name))
        {
            node = found;
        }
        node
    }

    /// The schema of a field: that of the property, or of all others.
    pub(crate) fn of_field(&self, name: &str) -> Option<&Node> {
        let others = match &self.additional {
            Some(Additional::Schema(schema)) => Some(&**schema),
            _ => None,
        };
        self.properties.get(name).or(others)
    }

    /// The path of a field of the value at `path`: in brackets if the schema does not name the field.
    pub(crate) fn path_of(&self, path: &str, name: &str) -> String {
        match self.properties.contains_key(name) {
            false => format!("{path}[{name}]"),
            true if path.is_empty() => name.to_owned(),
            true => format!("{path}.{name}"),
        }
    }

    /// The schemas in this one, each with the step to it.
    pub(crate) fn children(&self) -> Vec<(String, &Node)> {
        let properties = self.properties.iter();
        let mut children: Vec<(String, &Node)> = properties
            .map(|(name, node)| (format!(".{name}"), node))
            .collect();
        if let Some(Additional::Schema(node)) = &self.additional {
            children.push(("[*]".to_owned(), node));
        }
        children.extend(self.items.iter().map(|node| ("[]".to_owned(), &**node)));
        let branches = self.all_of.iter().chain(&self.any_of).chain(&self.one_of);
        children.extend(branches.map(|node| (String::new(), node)));
        children.extend(self.not.iter().map(|node| (String::new(), &**node)));
        children
    }

    /// Calls `change` with this schema and all in it.
    pub(crate) fn visit(&mut self, change: &mut dyn FnMut(&mut Node)) {
        change(self);
        let additional = match &mut self.additional {
            Some(Additional::Schema(node)) => Some(node),
            _ => None,
        };
        let boxed = self.items.iter_mut().chain(&mut self.not).chain(additional);
        let branches = self.all_of.iter_mut().chain(&mut self.any_of);
        let branches = branches.chain(&mut self.one_of);
        for node in self
            .properties
            .values_mut()
            .chain(boxed.map(|node| &mut **node))
            .chain(branches)
        {
            node.visit(change);
        }
    }

    /// The constraints of this schema and of those in it that are not checked. Each definition counts once.
    pub(crate) fn not_checked(&self, definitions: &Nodes) -> Vec<NotChecked> {
        let (mut known, mut found) = (BTreeSet::new(), Vec::new());
        let mut open = vec![(String::new(), self)];
        while let Some((path, node)) = open.pop() {
            if let Some(Reference { name, .. }) = &node.reference {
                if known.insert(name) {
                    open.extend(definitions.get(name).map(|node| (path, node)));
                }
                continue;
            }
            found.extend(node.own_not_checked(path.strip_prefix('.').unwrap_or(&path)));
            let children = node.children().into_iter().rev();
            open.extend(children.map(|(step, node)| (format!("{path}{step}"), node)));
        }
        found
    }

    /// The constraints of this schema that are not checked, for the value at `field`.
    pub(crate) fn own_not_checked(&self, field: &str) -> Vec<NotChecked> {
        let not_checked = |constraint: &str, reason: &str| NotChecked {
            field: match field {
                "" => "<nil>".to_owned(),
                field => field.to_owned(),
            },
            constraint: constraint.to_owned(),
            reason: reason.to_owned(),
        };
        let pattern = self.pattern.iter().filter_map(|pattern| {
            let reason = pattern.compiled.as_ref().err()?;
            Some(not_checked(&pattern.text, reason))
        });
        let format = self.format.iter().filter_map(|format| match format {
            Format::NotChecked(name) => Some(not_checked(
                &format!("format: {name}"),
                "the format is not supported",
            )),
            _ => None,
        });
        let rules = self.rules.iter().filter_map(|rule| {
            let reason = rule.not_checked()?;
            Some(not_checked(&rule.text, reason))
        });
        let unread = self.unread.iter();
        let unread = unread.map(|word| not_checked(word, "the keyword is not supported"));
        pattern.chain(format).chain(rules).chain(unread).collect()
    }
}
