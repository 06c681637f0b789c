//! The tree of a parsed text: fields in order, duplicates included, every value with its position.

use std::fmt;
use std::ops::Range;

/// A range of bytes in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// The span from `start` to before `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The span as a range, for slicing the text.
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A position in a text; lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Position {
    /// The position of byte `offset` of `text`; an offset past the end means the end.
    pub fn of(text: &[u8], offset: usize) -> Self {
        let before = &text[..offset.min(text.len())];
        let line_start = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        Self {
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            // Bytes that continue a UTF-8 sequence are part of the character before them.
            column: 1 + before[line_start..]
                .iter()
                .filter(|byte| **byte & 0xC0 != 0x80)
                .count(),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A JSON or YAML document with spans.
///
/// All values are in one flat arena, so a deep document is walked and dropped without recursion. A YAML alias
/// refers to the anchored value itself, not to a copy.
#[derive(Clone, Debug)]
pub struct Tree {
    entries: Vec<Entry>,
    root: Id,
}

pub(crate) type Id = u32;

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) data: Data,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Data {
    Null,
    Bool(bool),
    Number(Box<str>),
    String(Box<str>),
    Array(Box<[Id]>),
    Object(Box<[Pair]>),
}

#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) name: Box<str>,
    pub(crate) span: Span,
    pub(crate) value: Id,
}

impl Tree {
    /// The outermost value.
    pub fn root(&self) -> Node<'_> {
        Node {
            tree: self,
            id: self.root,
        }
    }

    pub(crate) fn new(entries: Vec<Entry>, root: Id) -> Self {
        Self { entries, root }
    }

    /// All values; children come before their parents.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The same tree with every span moved by `by` bytes: for a text that is part of a larger one.
    pub fn shifted(mut self, by: usize) -> Self {
        let shift = |span: &mut Span| *span = Span::new(span.start + by, span.end + by);
        for entry in &mut self.entries {
            shift(&mut entry.span);
            if let Data::Object(pairs) = &mut entry.data {
                pairs.iter_mut().for_each(|pair| shift(&mut pair.span));
            }
        }
        self
    }
}

/// Adds a value to an arena that becomes a [`Tree`].
pub(crate) fn push(entries: &mut Vec<Entry>, data: Data, span: Span) -> Id {
    entries.push(Entry { data, span });
    // A bounded text has far fewer than 2^32 values, so this cannot fail.
    Id::try_from(entries.len() - 1).unwrap_or(Id::MAX)
}

/// A value in a [`Tree`].
#[derive(Clone, Copy)]
pub struct Node<'a> {
    tree: &'a Tree,
    id: Id,
}

/// The type and content of a [`Node`].
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as JSON text.
    Number(&'a str),
    /// A string.
    String(&'a str),
    /// A list.
    Array(Elements<'a>),
    /// An object.
    Object(Fields<'a>),
}

impl<'a> Node<'a> {
    /// The value's type and content.
    pub fn content(self) -> Content<'a> {
        match self.entry().map(|entry| &entry.data) {
            None | Some(Data::Null) => Content::Null,
            Some(Data::Bool(value)) => Content::Bool(*value),
            Some(Data::Number(text)) => Content::Number(text),
            Some(Data::String(text)) => Content::String(text),
            Some(Data::Array(ids)) => Content::Array(Elements {
                tree: self.tree,
                ids,
            }),
            Some(Data::Object(pairs)) => Content::Object(Fields {
                tree: self.tree,
                pairs,
            }),
        }
    }

    /// The value's position in the text; for an alias, the position of the anchored value.
    pub fn span(self) -> Span {
        self.entry().map_or_else(Span::default, |entry| entry.span)
    }

    /// The value of the field `name`; the last one if there are several. `None` if this is not an object.
    pub fn get(self, name: &str) -> Option<Node<'a>> {
        match self.content() {
            Content::Object(fields) => fields.get(name),
            _ => None,
        }
    }

    /// The string; `None` for other types.
    pub fn as_str(self) -> Option<&'a str> {
        match self.content() {
            Content::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value's index in [`Tree::entries`].
    pub(crate) fn id(self) -> Id {
        self.id
    }

    fn entry(self) -> Option<&'a Entry> {
        self.tree.entries.get(self.id as usize)
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Node({:?})", self.entry())
    }
}

/// The elements of a list.
#[derive(Clone, Copy)]
pub struct Elements<'a> {
    tree: &'a Tree,
    ids: &'a [Id],
}

impl<'a> Elements<'a> {
    /// The number of elements.
    pub fn len(self) -> usize {
        self.ids.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(self) -> bool {
        self.ids.is_empty()
    }

    /// The elements in order.
    pub fn iter(self) -> impl Iterator<Item = Node<'a>> {
        self.ids.iter().map(move |id| Node {
            tree: self.tree,
            id: *id,
        })
    }
}

impl fmt::Debug for Elements<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} elements", self.len())
    }
}

/// The fields of an object.
#[derive(Clone, Copy)]
pub struct Fields<'a> {
    tree: &'a Tree,
    pairs: &'a [Pair],
}

/// A field of an object.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// The name.
    pub name: &'a str,
    /// The name's position in the text.
    pub name_span: Span,
    /// The value.
    pub value: Node<'a>,
}

impl<'a> Fields<'a> {
    /// The number of fields, duplicates included.
    pub fn len(self) -> usize {
        self.pairs.len()
    }

    /// Whether the object is empty.
    pub fn is_empty(self) -> bool {
        self.pairs.is_empty()
    }

    /// The fields in the order of the text.
    pub fn iter(self) -> impl Iterator<Item = Field<'a>> {
        self.pairs.iter().map(move |pair| self.field(pair))
    }

    /// The fields sorted by name, as Go writes a map.
    pub fn sorted(self) -> impl Iterator<Item = Field<'a>> {
        let mut pairs: Vec<_> = self.pairs.iter().collect();
        pairs.sort_by(|left, right| left.name.cmp(&right.name));
        pairs.into_iter().map(move |pair| self.field(pair))
    }

    /// The value of the field `name`; the last one if there are several.
    pub fn get(self, name: &str) -> Option<Node<'a>> {
        let pair = self.pairs.iter().rev().find(|pair| &*pair.name == name)?;
        Some(self.field(pair).value)
    }

    fn field(self, pair: &'a Pair) -> Field<'a> {
        Field {
            name: &pair.name,
            name_span: pair.span,
            value: Node {
                tree: self.tree,
                id: pair.value,
            },
        }
    }
}

impl fmt::Debug for Fields<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} fields", self.len())
    }
}
