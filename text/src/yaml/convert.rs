//! Converts a graph of YAML nodes to a JSON tree: keys become field names, merges and duplicate keys are resolved, and
//! alias expansion is bounded.

use super::DuplicateKey;
use super::bounds::{EXCESSIVE, check_aliasing, check_depth};
use super::compose::{Graph, NodeId, NodeKind};
use super::keys::{self, Key};
use super::resolve::{Value, resolve};
use crate::SyntaxError;
use crate::go::{float, json_float};
use crate::tree::{self, Data, Entry, Id, Pair, Span, Tree};
use std::collections::HashMap;
use std::rc::Rc;

/// Maximum number of fields and of duplicate keys that merges and aliases may add.
const MAX_REPEATED: usize = 1_000_000;

/// The tree of a document and its duplicate keys.
pub(super) fn convert(graph: &Graph) -> Result<(Tree, Vec<DuplicateKey>), SyntaxError> {
    let mut converter = Converter {
        graph,
        results: Vec::new(),
        entries: Vec::new(),
        repeated: 0,
        deferred_error: None,
    };
    if graph.nodes.is_empty() {
        // Unreachable: a document has a root value, `null` if it is empty.
        return Err(SyntaxError::new("yaml: empty document".into(), 0));
    }
    converter
        .results
        .resize_with(graph.nodes.len(), || Progress::New);
    let root = converter.run()?;
    if let Some(error) = converter.deferred_error {
        return Err(error);
    }
    check_aliasing(graph)?;
    let duplicates = root.duplicates.as_ref().clone();
    let tree = Tree::new(converter.entries, root.id);
    check_depth(&tree)?;
    Ok((tree, duplicates))
}

/// The state of a node's conversion.
enum Progress {
    New,
    /// The children are being converted.
    Begun,
    Done(Done),
}

#[derive(Clone)]
struct Done {
    id: Id,
    /// The duplicate keys found in the node and its children.
    duplicates: Rc<Vec<DuplicateKey>>,
    /// The fields of a mapping in the order in which they are set.
    settings: Rc<Vec<Setting>>,
}

/// A key and the value that it is set to.
#[derive(Clone)]
struct Setting {
    key: Key,
    span: Span,
    value: NodeId,
}

struct Converter<'a> {
    graph: &'a Graph,
    results: Vec<Progress>,
    entries: Vec<Entry>,
    repeated: usize,
    /// An error that a server reports only after it has read the whole document.
    deferred_error: Option<SyntaxError>,
}

impl Converter<'_> {
    fn run(&mut self) -> Result<Done, SyntaxError> {
        let mut todo = vec![0];
        while let Some(id) = todo.last().copied() {
            match self.results.get(id) {
                Some(Progress::Done(_)) => {
                    todo.pop();
                }
                Some(Progress::Begun) => {
                    let done = self.finish(id)?;
                    self.results[id] = Progress::Done(done);
                    todo.pop();
                }
                _ => self.begin(id, &mut todo)?,
            }
        }
        self.done(0)
            .cloned()
            .ok_or_else(|| SyntaxError::new("yaml: empty document".into(), 0))
    }

    /// Schedules the children of a node before the node itself.
    fn begin(&mut self, id: NodeId, todo: &mut Vec<NodeId>) -> Result<(), SyntaxError> {
        self.results[id] = Progress::Begun;
        let mut push = |child: NodeId| {
            if matches!(self.results[child], Progress::New) {
                todo.push(child);
            }
        };
        match &self.graph.nodes[id].kind {
            NodeKind::Scalar(_) => {}
            NodeKind::Alias { name, target } => {
                if matches!(self.results[*target], Progress::Begun) {
                    let problem = format!("anchor '{name}' value contains itself");
                    return Err(self.error(id, &problem));
                }
                push(*target);
            }
            NodeKind::Sequence(elements) => elements.iter().rev().copied().for_each(push),
            NodeKind::Mapping(pairs) => {
                // Keys are converted with their mapping; a value used as a key does not become a node of the tree.
                for (_, value) in pairs.iter().rev() {
                    push(*value);
                }
            }
        }
        Ok(())
    }

    /// Converts a node whose children are converted.
    fn finish(&mut self, id: NodeId) -> Result<Done, SyntaxError> {
        let graph = self.graph;
        let node = &graph.nodes[id];
        let mut duplicates = Vec::new();
        let data = match &node.kind {
            NodeKind::Alias { target, .. } => {
                return self
                    .done(*target)
                    .cloned()
                    .ok_or_else(|| self.error(id, "unknown anchor"));
            }
            NodeKind::Scalar(scalar) => {
                let value = resolve(scalar).map_err(|message| self.error(id, &message))?;
                self.scalar(id, value)
            }
            NodeKind::Sequence(elements) => {
                let mut ids = Vec::with_capacity(elements.len());
                for element in elements {
                    if let Some(done) = self.done(*element).cloned() {
                        ids.push(done.id);
                        self.repeat(done.duplicates.len(), id)?;
                        duplicates.extend(done.duplicates.iter().cloned());
                    }
                }
                Data::Array(ids.into())
            }
            NodeKind::Mapping(pairs) => return self.mapping(id, pairs),
        };
        let id = tree::push(&mut self.entries, data, node.span);
        Ok(Done {
            id,
            duplicates: duplicates.into(),
            settings: Rc::default(),
        })
    }

    fn scalar(&mut self, id: NodeId, value: Value) -> Data {
        match value {
            Value::Null => Data::Null,
            Value::Bool(value) => Data::Bool(value),
            Value::Integer(number) => Data::Number(number.to_string().into()),
            Value::Text(text) => Data::String(text.into()),
            Value::Float(number) => match json_float(number) {
                Some(text) => Data::Number(text.into()),
                None => {
                    let printed = float(number);
                    self.defer_error(id, format!("json: unsupported value: {printed}"));
                    Data::Null
                }
            },
        }
    }

    fn mapping(&mut self, id: NodeId, pairs: &[(NodeId, NodeId)]) -> Result<Done, SyntaxError> {
        let mut settings: Vec<Setting> = Vec::with_capacity(pairs.len());
        let mut duplicates: Vec<DuplicateKey> = Vec::new();
        let mut positions: HashMap<Key, usize> = HashMap::new();
        for (key_id, value) in pairs {
            if self.is_merge(*key_id) {
                for merged in self.merged(*value)? {
                    let Some(done) = self.done(merged).cloned() else {
                        continue;
                    };
                    self.repeat(done.duplicates.len() + done.settings.len(), id)?;
                    duplicates.extend(done.duplicates.iter().cloned());
                    for setting in done.settings.iter() {
                        self.set(
                            setting.clone(),
                            &mut settings,
                            &mut positions,
                            &mut duplicates,
                        );
                    }
                }
                continue;
            }
            let key = self.key(*key_id)?;
            if let Some(done) = self.done(*value).cloned() {
                self.repeat(done.duplicates.len(), id)?;
                duplicates.extend(done.duplicates.iter().cloned());
            }
            let setting = Setting {
                key,
                span: self.graph.nodes[*key_id].span,
                value: *value,
            };
            self.set(setting, &mut settings, &mut positions, &mut duplicates);
        }
        let mut fields: Vec<Pair> = Vec::new();
        let mut kept: Vec<_> = positions.values().copied().collect();
        kept.sort_unstable();
        for setting in kept
            .into_iter()
            .filter_map(|position| settings.get(position))
        {
            let Some(name) = setting.key.name() else {
                let problem = self.unsupported_key(setting);
                self.defer_error(setting.value, problem);
                continue;
            };
            if let Some(done) = self.done(setting.value) {
                fields.push(Pair {
                    name: name.into(),
                    span: setting.span,
                    value: done.id,
                });
            }
        }
        let span = self.graph.nodes[id].span;
        let id = tree::push(&mut self.entries, Data::Object(fields.into()), span);
        Ok(Done {
            id,
            duplicates: duplicates.into(),
            settings: settings.into(),
        })
    }

    /// Sets a key. A key that is set twice is a duplicate, and the later value wins.
    fn set(
        &self,
        setting: Setting,
        settings: &mut Vec<Setting>,
        positions: &mut HashMap<Key, usize>,
        duplicates: &mut Vec<DuplicateKey>,
    ) {
        if positions
            .insert(setting.key.clone(), settings.len())
            .is_some()
        {
            duplicates.push(DuplicateKey {
                line: self.graph.nodes[setting.value].line,
                key: setting.key.go_syntax(),
                span: setting.span,
            });
        }
        settings.push(setting);
    }

    fn key(&self, id: NodeId) -> Result<Key, SyntaxError> {
        let mut target = id;
        while let NodeKind::Alias { name, target: next } = &self.graph.nodes[target].kind {
            if matches!(self.results[*next], Progress::Begun) {
                return Err(self.error(id, &format!("anchor '{name}' value contains itself")));
            }
            target = *next;
        }
        match &self.graph.nodes[target].kind {
            NodeKind::Scalar(scalar) => resolve(scalar)
                .map(Key::new)
                .map_err(|message| self.error(id, &message)),
            _ => {
                let printed = keys::go_syntax(self.graph, target);
                Err(self.error(id, &format!("invalid map key: {printed}")))
            }
        }
    }

    fn is_merge(&self, key: NodeId) -> bool {
        match &self.graph.nodes[key].kind {
            NodeKind::Scalar(scalar) => {
                scalar.text == "<<" && (scalar.is_plain || scalar.tag == "tag:yaml.org,2002:merge")
            }
            _ => false,
        }
    }

    /// The mappings that a merge key refers to, in the order in which they are merged: the first one in the text comes
    /// last, because its values win.
    fn merged(&self, value: NodeId) -> Result<Vec<NodeId>, SyntaxError> {
        let mapping = |id: NodeId| {
            let target = match self.graph.nodes[id].kind {
                NodeKind::Alias { target, .. } => target,
                _ => id,
            };
            matches!(self.graph.nodes[target].kind, NodeKind::Mapping(_)).then_some(target)
        };
        let mappings = match &self.graph.nodes[value].kind {
            NodeKind::Sequence(elements) => elements
                .iter()
                .rev()
                .map(|element| mapping(*element))
                .collect(),
            _ => mapping(value).map(|id| vec![id]),
        };
        mappings.ok_or_else(|| {
            self.error(
                value,
                "map merge requires map or sequence of maps as the value",
            )
        })
    }

    fn unsupported_key(&self, setting: &Setting) -> String {
        let (type_name, key) = match &setting.key {
            Key::Null => ("%!s(<nil>)", "<nil>".to_owned()),
            Key::Integer(number) => ("uint64", format!("{number:#x}")),
            other => ("interface {}", other.go_syntax()),
        };
        let value = keys::go_syntax(self.graph, setting.value);
        format!("unsupported map key of type: {type_name}, key: {key}, value: {value}")
    }

    fn done(&self, id: NodeId) -> Option<&Done> {
        match self.results.get(id) {
            Some(Progress::Done(done)) => Some(done),
            _ => None,
        }
    }

    /// Counts values and keys repeated by an alias or a merge.
    fn repeat(&mut self, count: usize, id: NodeId) -> Result<(), SyntaxError> {
        self.repeated += count;
        if self.repeated > MAX_REPEATED {
            return Err(self.error(id, EXCESSIVE));
        }
        Ok(())
    }

    fn defer_error(&mut self, id: NodeId, message: String) {
        if self.deferred_error.is_none() {
            let offset = self.graph.nodes[id].span.start;
            self.deferred_error = Some(SyntaxError::new(message, offset));
        }
    }

    fn error(&self, id: NodeId, problem: &str) -> SyntaxError {
        SyntaxError::new(format!("yaml: {problem}"), self.graph.nodes[id].span.start)
    }
}
