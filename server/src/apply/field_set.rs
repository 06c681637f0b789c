//! Sets of fields, and their form `fieldsV1` in JSON.
//! Own code, because the order of sets and paths is part of the server's responses.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;

/// One step of the path of a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Step {
    /// A field of an object.
    Field(String),
    /// The element of a list with these values in its key fields: a JSON object with sorted keys.
    Key(String),
    /// The element of a set, as JSON text.
    Value(String),
    /// The element at a position.
    Index(usize),
}

impl Step {
    pub(crate) fn field(name: &str) -> Self {
        Self::Field(name.into())
    }

    fn to_text(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Key(key) => format!("k:{key}"),
            Self::Value(value) => format!("v:{value}"),
            Self::Index(index) => format!("i:{index}"),
        }
    }

    /// Whether a step has a form of which later releases may know more.
    fn is_unknown(text: &str) -> bool {
        matches!(text.as_bytes(), [kind, b':', ..] if !b"fkvi".contains(kind))
    }

    fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(':')?;
        Some(match kind {
            "f" => Self::Field(rest.into()),
            // Parsed and written again, so that equal keys are equal texts.
            "k" => Self::Key(
                serde_json::from_str::<BTreeMap<String, Value>>(rest)
                    .ok()
                    .map(|key| serde_json::to_string(&key).unwrap_or_default())?,
            ),
            "v" => Self::Value(serde_json::from_str::<Value>(rest).ok()?.to_string()),
            "i" => Self::Index(rest.parse().ok()?),
            _ => return None,
        })
    }
}

/// The form of paths in conflicts: `.a`, `[name="b"]`, `[="c"]`, `[0]`.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Value(value) => write!(f, "[={value}]"),
            Self::Index(index) => write!(f, "[{index}]"),
            Self::Key(key) => {
                let key: BTreeMap<String, Value> = serde_json::from_str(key).unwrap_or_default();
                let keys: Vec<_> = key
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                write!(f, "[{}]", keys.join(","))
            }
        }
    }
}

/// A set of fields: a tree of steps, of which some belong to the set themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FieldSet {
    steps: BTreeMap<Step, Node>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Node {
    is_included: bool,
    below: FieldSet,
}

impl FieldSet {
    pub(crate) fn is_empty(&self) -> bool {
        // `filter` and `insert` never leave an empty node.
        self.steps.is_empty()
    }

    /// A set of whole subtrees, for [`FieldSet::without_subtrees`].
    pub(crate) fn of(paths: &[&[&str]]) -> Self {
        let mut set = Self::default();
        for path in paths {
            let path: Vec<_> = path.iter().map(|name| Step::field(name)).collect();
            set.insert(&path);
        }
        set
    }

    pub(crate) fn insert(&mut self, path: &[Step]) {
        let Some((first, rest)) = path.split_first() else {
            return;
        };
        let node = self.steps.entry(first.clone()).or_default();
        if rest.is_empty() {
            node.is_included = true;
        } else {
            node.below.insert(rest);
        }
    }

    /// Whether the set contains the step itself.
    pub(crate) fn has(&self, step: &Step) -> bool {
        self.steps.get(step).is_some_and(|node| node.is_included)
    }

    pub(crate) fn below(&self, step: &Step) -> Option<&Self> {
        self.steps
            .get(step)
            .map(|node| &node.below)
            .filter(|below| !below.is_empty())
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut union = self.clone();
        union.absorb(other);
        union
    }

    /// Adds the fields of another set, in time that does not depend on the size of this one.
    pub(crate) fn absorb(&mut self, other: &Self) {
        for (step, node) in &other.steps {
            let mine = self.steps.entry(step.clone()).or_default();
            mine.is_included |= node.is_included;
            mine.below.absorb(&node.below);
        }
    }

    /// The fields that `other` does not contain.
    pub(crate) fn difference(&self, other: &Self) -> Self {
        self.filter(|step, node| match other.steps.get(step) {
            None => node.clone(),
            Some(theirs) => Node {
                is_included: node.is_included && !theirs.is_included,
                below: node.below.difference(&theirs.below),
            },
        })
    }

    /// The fields that `other` contains too.
    pub(crate) fn intersection(&self, other: &Self) -> Self {
        self.filter(|step, node| match other.steps.get(step) {
            None => Node::default(),
            Some(theirs) => Node {
                is_included: node.is_included && theirs.is_included,
                below: node.below.intersection(&theirs.below),
            },
        })
    }

    /// The set without the fields of `roots` and everything below them.
    pub(crate) fn without_subtrees(&self, roots: &Self) -> Self {
        self.filter(|step, node| match roots.steps.get(step) {
            None => node.clone(),
            Some(root) if root.is_included => Node::default(),
            Some(root) => Node {
                is_included: node.is_included,
                below: node.below.without_subtrees(&root.below),
            },
        })
    }

    /// The set with the parents of its fields, which `fieldsV1` leaves out.
    pub(crate) fn with_parents(&self) -> Self {
        self.filter(|step, node| Node {
            is_included: node.is_included || matches!(step, Step::Field(_)),
            below: node.below.with_parents(),
        })
    }

    fn filter(&self, map: impl Fn(&Step, &Node) -> Node) -> Self {
        let steps = self
            .steps
            .iter()
            .map(|(step, node)| (step.clone(), map(step, node)))
            .filter(|(_, node)| node.is_included || !node.below.is_empty())
            .collect();
        Self { steps }
    }

    /// The paths of the fields, in order.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        self.collect_paths("", &mut paths);
        paths
    }

    fn collect_paths(&self, prefix: &str, paths: &mut Vec<String>) {
        // The server lists the fields of a level before deeper ones.
        for (step, node) in &self.steps {
            if node.is_included {
                paths.push(format!("{prefix}{step}"));
            }
        }
        for (step, node) in &self.steps {
            node.below.collect_paths(&format!("{prefix}{step}"), paths);
        }
    }

    /// The set as `fieldsV1`.
    pub(crate) fn to_fields_v1(&self) -> Value {
        let mut fields = Map::new();
        for (step, node) in &self.steps {
            let mut below = node.below.to_fields_v1();
            if node.is_included && !node.below.is_empty() {
                below["."] = Value::Object(Map::new());
                if let Value::Object(below) = &mut below {
                    below.sort_keys();
                }
            }
            fields.insert(step.to_text(), below);
        }
        // By name, also where another crate turns on serde_json's feature `preserve_order`.
        fields.sort_keys();
        Value::Object(fields)
    }

    /// Reads `fieldsV1`, without steps of an unknown form; `None` for malformed ones.
    pub(crate) fn from_fields_v1(fields: &Value) -> Option<Self> {
        let mut set = Self::default();
        if fields.is_null() {
            return Some(set);
        }
        for (text, below) in fields.as_object()? {
            if text == "." || Step::is_unknown(text) {
                continue;
            }
            let step = Step::parse(text)?;
            let below_set = Self::from_fields_v1(below)?;
            let is_included = below.get(".").is_some() || below_set.is_empty();
            set.steps.insert(
                step,
                Node {
                    is_included,
                    below: below_set,
                },
            );
        }
        Some(set)
    }
}
