//! References to schemas, and the queue of schemas to read.

use crate::documents::{Document, Documents};
use crate::error::{At, Error};
use crate::format::Format;
use crate::json::Json;
use crate::model::Key;
use crate::unexpressed::Unexpressed;
use heck::ToUpperCamelCase;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// A named schema in the queue.
pub(super) struct Place {
    pub(super) document: Arc<Document>,
    /// The tokens of its JSON pointer.
    pub(super) tokens: Vec<String>,
    pub(super) key: Key,
}

pub(super) struct References<'a> {
    pub(super) documents: &'a Documents,
    /// What plain types do not express.
    pub(super) unexpressed: BTreeSet<Unexpressed>,
    /// The number of merged schemas around the present one.
    pub(super) merges: usize,
    /// The schemas of the outermost `allOf`, with those inside them.
    pub(super) branches: usize,
    /// All places that ever entered the queue.
    seen: HashSet<(Arc<str>, Vec<String>)>,
    /// The first place of each key that ever entered the queue.
    keys: HashMap<Key, (Arc<Document>, Vec<String>)>,
    queue: VecDeque<Place>,
}

impl<'a> References<'a> {
    pub(super) fn new(documents: &'a Documents) -> Self {
        Self {
            documents,
            unexpressed: BTreeSet::new(),
            merges: 0,
            branches: 0,
            seen: HashSet::new(),
            keys: HashMap::new(),
            queue: VecDeque::new(),
        }
    }

    pub(super) fn enqueue(&mut self, document: &Arc<Document>, tokens: Vec<String>, key: Key) {
        if self
            .seen
            .insert((Arc::clone(&document.name), tokens.clone()))
        {
            let place = || (Arc::clone(document), tokens.clone());
            self.keys.entry(key.clone()).or_insert_with(place);
            self.queue.push_back(Place {
                document: Arc::clone(document),
                tokens,
                key,
            });
        }
    }

    pub(super) fn next(&mut self) -> Option<Place> {
        self.queue.pop_front()
    }

    /// The key of the schema that `reference` leads to; the schema enters the queue. `None` for a missing schema that
    /// stands for any JSON.
    pub(super) fn key(
        &mut self,
        document: &Arc<Document>,
        reference: &str,
        at: &At,
    ) -> Result<Option<Key>, Error> {
        let (target, tokens) = match self.documents.resolve(document, reference, at) {
            Err(_) if self.documents.missing_as_json => return Ok(None),
            resolved => resolved?,
        };
        let key = match tokens.as_slice() {
            [a, b, name] if a == "components" && b == "schemas" => self.named_key(name, &target),
            [a, name] if a == "definitions" || a == "$defs" => self.named_key(name, &target),
            [] if target.format == Format::JsonSchema => root_key(&target),
            [_, ..] if self.documents.plain => self.key_of_place(&tokens, &target),
            _ => {
                return Err(
                    Error::at(at, format!("`{reference}` is not a named schema"))
                        .help("move the schema to `components/schemas`, `definitions` or `$defs`"),
                );
            }
        };
        self.enqueue(&target, tokens, key.clone());
        Ok(Some(key))
    }

    /// The key of a schema in the middle of a plain document: the last two steps to it, or as many as no other schema has.
    fn key_of_place(&self, tokens: &[String], document: &Arc<Document>) -> Key {
        let steps = (0..tokens.len().saturating_sub(1).max(1)).rev();
        let names = steps.map(|from| tokens[from..].join("_"));
        let all = tokens.join("_");
        let mut keys = names
            .chain((2..).map(|number| format!("{all}_{number}")))
            .map(|name| Key::plain(&name, document.stem()));
        let is_free = |key: &Key| match self.keys.get(key) {
            None => true,
            Some((other, place)) => {
                let json = |tokens| document.find(tokens).map(|node| node.json);
                other.name == document.name && (place == tokens || json(place) == json(tokens))
            }
        };
        // Numbers do not run out.
        keys.find(is_free)
            .unwrap_or_else(|| Key::plain(&all, document.stem()))
    }

    /// The key of the schema with this name in a document.
    pub(super) fn named_key(&self, name: &str, document: &Document) -> Key {
        match self.documents.plain {
            true => Key::plain(name, document.stem()),
            false => Key::new(name, document.stem()),
        }
    }
}

/// The key of the schema that is a whole document: its title or the file's name.
pub(super) fn root_key(document: &Document) -> Key {
    let title = document.root().json.get("title").and_then(Json::as_str);
    Key {
        package: format!("file:{}", document.stem()),
        name: title.unwrap_or(document.stem()).to_upper_camel_case(),
    }
}
