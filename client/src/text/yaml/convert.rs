//! A graph of YAML nodes to a JSON tree: keys become names, merges and duplicates are resolved, and what
//! aliases repeat is bounded.

use super::DuplicateKey;
use super::compose::{Graph, NodeId, NodeKind};
use super::keys::{self, Key};
use super::numbers::{json_float, printed_float};
use super::resolve::{Value, resolve};
use crate::text::tree::{self, Content, Data, Entry, Id, Node, Pair, Span, Tree};
use crate::text::{MAX_DEPTH, SyntaxError};
use std::collections::HashMap;
use std::rc::Rc;

/// How many members merges and how many duplicates may add up to.
const MAX_REPEATED: usize = 1_000_000;

/// The tree of a document and its duplicate keys.
pub(super) fn convert(graph: &Graph) -> Result<(Tree, Vec<DuplicateKey>), SyntaxError> {
    let mut converter = Converter {
        graph,
        results: Vec::new(),
        entries: Vec::new(),
        repeated: 0,
        late_error: None,
    };
    converter
        .results
        .resize_with(graph.nodes.len(), || Progress::New);
    let root = converter.run()?;
    if let Some(error) = converter.late_error {
        return Err(error);
    }
    check_aliasing(graph)?;
    let duplicates = root.duplicates.as_ref().clone();
    let tree = Tree::new(converter.entries, root.id);
    check_depth(&tree)?;
    Ok((tree, duplicates))
}

/// What is known of a node.
enum Progress {
    New,
    /// Its children are being converted.
    Begun,
    Done(Done),
}

/// A converted node.
#[derive(Clone)]
struct Done {
    id: Id,
    /// The duplicate keys met when the node is read.
    duplicates: Rc<Vec<DuplicateKey>>,
    /// The members of a mapping as they are set, one after the other.
    settings: Rc<Vec<Setting>>,
}

/// A key that gets a value.
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
    /// An error that a server only meets after everything was read.
    late_error: Option<SyntaxError>,
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

    /// Puts the children of a node before it.
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
                for (key, value) in pairs.iter().rev() {
                    push(*value);
                    push(*key);
                }
            }
        }
        Ok(())
    }

    /// Converts a node whose children are converted.
    fn finish(&mut self, id: NodeId) -> Result<Done, SyntaxError> {
        let graph = self.graph;
        let node = &graph.nodes[id];
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
                let mut duplicates = Vec::new();
                let mut ids = Vec::with_capacity(elements.len());
                for element in elements {
                    if let Some(done) = self.done(*element).cloned() {
                        ids.push(done.id);
                        self.repeat(done.duplicates.len(), id)?;
                        duplicates.extend(done.duplicates.iter().cloned());
                    }
                }
                let data = Data::Array(ids.into());
                let id = tree::push(&mut self.entries, data, node.span);
                return Ok(Done {
                    id,
                    duplicates: duplicates.into(),
                    settings: Rc::default(),
                });
            }
            NodeKind::Mapping(pairs) => return self.mapping(id, pairs),
        };
        let id = tree::push(&mut self.entries, data, node.span);
        Ok(Done {
            id,
            duplicates: Rc::default(),
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
                    let printed = printed_float(number);
                    self.late(id, format!("json: unsupported value: {printed}"));
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
        let mut members: Vec<Pair> = Vec::new();
        let mut kept: Vec<_> = positions.values().copied().collect();
        kept.sort_unstable();
        for setting in kept
            .into_iter()
            .filter_map(|position| settings.get(position))
        {
            let Some(name) = setting.key.name() else {
                let problem = self.unsupported_key(setting);
                self.late(setting.value, problem);
                continue;
            };
            if let Some(done) = self.done(setting.value) {
                members.push(Pair {
                    name: name.into(),
                    span: setting.span,
                    value: done.id,
                });
            }
        }
        let span = self.graph.nodes[id].span;
        let id = tree::push(&mut self.entries, Data::Object(members.into()), span);
        Ok(Done {
            id,
            duplicates: duplicates.into(),
            settings: settings.into(),
        })
    }

    /// Gives a key a value. A key that has one already is a duplicate, and the later value wins.
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
        while let NodeKind::Alias { target: next, .. } = self.graph.nodes[target].kind {
            target = next;
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

    /// The mappings that a merge names, in the order in which they are merged: of several the first comes
    /// last, as it counts most.
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

    /// Counts what is there a second time because of an alias or a merge.
    fn repeat(&mut self, count: usize, id: NodeId) -> Result<(), SyntaxError> {
        self.repeated += count;
        if self.repeated > MAX_REPEATED {
            return Err(self.error(id, EXCESSIVE));
        }
        Ok(())
    }

    fn late(&mut self, id: NodeId, message: String) {
        if self.late_error.is_none() {
            let offset = self.graph.nodes[id].span.start;
            self.late_error = Some(SyntaxError::new(message, offset));
        }
    }

    fn error(&self, id: NodeId, problem: &str) -> SyntaxError {
        SyntaxError::new(format!("yaml: {problem}"), self.graph.nodes[id].span.start)
    }
}

/// Refuses documents that are too deep for the JSON that a server turns them into, aliases expanded.
///
/// Children lie before their parents in the tree, so that one pass knows every height.
fn check_depth(tree: &Tree) -> Result<(), SyntaxError> {
    let mut heights: Vec<usize> = Vec::new();
    for entry in tree.entries() {
        let height = |id: &Id| heights.get(*id as usize).copied().unwrap_or_default();
        heights.push(match &entry.data {
            Data::Array(ids) => 1 + ids.iter().map(height).max().unwrap_or_default(),
            Data::Object(pairs) => {
                1 + pairs
                    .iter()
                    .map(|pair| height(&pair.value))
                    .max()
                    .unwrap_or_default()
            }
            _ => 0,
        });
    }
    let mut node = tree.root();
    if heights
        .get(node.id() as usize)
        .is_none_or(|height| *height <= MAX_DEPTH)
    {
        return Ok(());
    }
    // The first value in the order of the JSON that lies too deep.
    for above in (0..MAX_DEPTH).rev() {
        let is_deep = |node: &Node<'_>| heights[node.id() as usize] > above;
        let child = match node.content() {
            Content::Array(elements) => elements.iter().find(is_deep),
            Content::Object(members) => members.sorted().map(|member| member.value).find(is_deep),
            _ => None,
        };
        match child {
            Some(child) => node = child,
            None => break,
        }
    }
    let bracket = if matches!(node.content(), Content::Array(_)) {
        '['
    } else {
        '{'
    };
    let message = format!(
        "couldn't get version/kind; json parse error: invalid character '{bracket}' exceeded max depth"
    );
    Err(SyntaxError::new(message, node.span().start))
}

const EXCESSIVE: &str = "document contains excessive aliasing";

/// Refuses documents that are mostly repetition, as the Kubernetes YAML reader does: up to 400,000 values
/// nearly all may come from aliases, from 4,000,000 on a tenth.
fn check_aliasing(graph: &Graph) -> Result<(), SyntaxError> {
    // Children come after their parents and aliases after what they mean, so that sizes are known from
    // the last node to the first, except for aliases, which look up what stands before them.
    let mut sizes: Vec<Option<u64>> = vec![None; graph.nodes.len()];
    let mut todo = vec![0];
    while let Some(id) = todo.last().copied() {
        if sizes[id].is_some() {
            todo.pop();
            continue;
        }
        let children: Vec<NodeId> = match &graph.nodes[id].kind {
            NodeKind::Scalar(_) => Vec::new(),
            NodeKind::Alias { target, .. } => vec![*target],
            NodeKind::Sequence(elements) => elements.clone(),
            NodeKind::Mapping(pairs) => pairs
                .iter()
                .flat_map(|(key, value)| [*key, *value])
                .collect(),
        };
        let unknown: Vec<_> = children
            .iter()
            .copied()
            .filter(|child| sizes[*child].is_none())
            .collect();
        if unknown.is_empty() {
            let size = children.iter().filter_map(|child| sizes[*child]);
            sizes[id] = Some(size.fold(1, u64::saturating_add));
            todo.pop();
        } else {
            todo.extend(unknown);
        }
    }
    let (mut total, mut aliased) = (0u64, 0u64);
    for (id, node) in graph.nodes.iter().enumerate() {
        total = total.saturating_add(1);
        if let NodeKind::Alias { target, .. } = node.kind {
            let size = sizes[target].unwrap_or_default();
            total = total.saturating_add(size);
            aliased = aliased.saturating_add(size);
            if aliased > 100 && total > 1000 && ratio(aliased, total) > allowed_ratio(total) {
                let offset = graph.nodes[id].span.start;
                return Err(SyntaxError::new(format!("yaml: {EXCESSIVE}"), offset));
            }
        }
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a ratio needs no more")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

fn allowed_ratio(total: u64) -> f64 {
    const LOW: u64 = 400_000;
    const HIGH: u64 = 4_000_000;
    match total {
        ..=LOW => 0.99,
        HIGH.. => 0.10,
        _ => 0.99 - 0.89 * ratio(total - LOW, HIGH - LOW),
    }
}
