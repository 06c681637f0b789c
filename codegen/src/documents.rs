//! The given documents, and the neighbouring files to which they refer.

use crate::error::{At, Error};
use crate::format::{self, Format, recognize};
use crate::input;
use crate::json::{Json, Node};
use crate::manifest;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

#[derive(Debug)]
pub(crate) struct Document {
    /// Its name in errors and references.
    pub(crate) name: Arc<str>,
    /// The folder of its neighbouring files; without a folder their texts must be given.
    folder: Option<PathBuf>,
    pub(crate) format: Format,
    root: Json,
    /// The positions of the named schemas in each of their [sections](Self::schema_sections): documents refer to them often.
    positions: OnceLock<Vec<HashMap<String, usize>>>,
}

impl Document {
    /// Reads the one document of a text.
    pub(crate) fn parse(name: &str, text: &str, folder: Option<PathBuf>) -> Result<Self, Error> {
        let name: Arc<str> = name.into();
        let at = At::root(&name);
        let mut documents = Self::parse_all(&name, text, folder)?;
        match (documents.pop(), documents.is_empty()) {
            (Some(document), true) => Ok(document),
            _ => Err(Error::at(&at, "expected one document")
                .help("references can lead only to files of one document")),
        }
    }

    /// Reads the documents of a text: a JSON or YAML document, or a manifest of CustomResourceDefinitions.
    pub(crate) fn parse_all(
        name: &str,
        text: &str,
        folder: Option<PathBuf>,
    ) -> Result<Vec<Self>, Error> {
        let name: Arc<str> = name.into();
        let texts = manifest::read(text, &At::root(&name))?;
        let single = texts.len() == 1;
        texts
            .into_iter()
            .enumerate()
            .map(|(index, root)| {
                let name = match single {
                    true => Arc::clone(&name),
                    false => format!("{name}[{index}]").into(),
                };
                let at = At::root(&name);
                let format = recognize(&Node { json: &root, at })?;
                let folder = folder.clone();
                Ok(Self {
                    name,
                    folder,
                    format,
                    root,
                    positions: OnceLock::new(),
                })
            })
            .collect()
    }

    pub(crate) fn root(&self) -> Node<'_> {
        Node {
            json: &self.root,
            at: At::root(&self.name),
        }
    }

    /// The file's name without folders and extension.
    pub(crate) fn stem(&self) -> &str {
        stem(&self.name)
    }

    /// The JSON pointers, as tokens, of the objects that hold the document's named schemas.
    pub(crate) fn schema_sections(&self) -> &'static [&'static [&'static str]] {
        match self.format {
            Format::OpenApi3 => &[&["components", "schemas"]],
            Format::Swagger2 => &[&["definitions"]],
            Format::JsonSchema => &[&["definitions"], &["$defs"]],
            Format::CustomResourceDefinition => &[],
        }
    }

    /// The value at the tokens of a JSON pointer.
    pub(crate) fn find<T: AsRef<str>>(&self, tokens: &[T]) -> Option<Node<'_>> {
        let is_in = |section: &&[&str]| {
            let mut both = section.iter().zip(tokens);
            tokens.len() > section.len() && both.all(|(name, token)| *name == token.as_ref())
        };
        let sections = self.schema_sections();
        match sections.iter().position(is_in) {
            Some(index) => {
                let (name, rest) = tokens[sections[index].len()..].split_first()?;
                self.named_schema(index, name.as_ref())?.find(rest)
            }
            None => self.root().find(tokens),
        }
    }

    fn named_schema(&self, section: usize, name: &str) -> Option<Node<'_>> {
        let sections = self.schema_sections();
        let schemas = self.root().find(sections[section])?;
        let positions = self.positions.get_or_init(|| {
            let fields = sections.iter().map(|section| self.root().find(section));
            let fields = fields.map(|node| node.map_or(&[][..], |node| node.json.fields()));
            let named = |fields: &[(String, Json)]| {
                let names = fields.iter().enumerate();
                names
                    .map(|(index, (name, _))| (name.clone(), index))
                    .collect()
            };
            fields.map(named).collect()
        });
        let (_, json) = schemas.json.fields().get(*positions[section].get(name)?)?;
        let at = schemas.at.child(name);
        (*json != Json::Null).then_some(Node { json, at })
    }
}

/// The name of a file without folders and extension.
pub(crate) fn stem(name: &str) -> &str {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = [".json", ".yaml", ".yml"]
        .iter()
        .find_map(|extension| file.strip_suffix(extension))
        .unwrap_or(file);
    if stem.is_empty() || stem == "-" {
        "document"
    } else {
        stem
    }
}

/// The remedy for references that lead nowhere.
const AS_JSON: &str = "read the values as any JSON with `--missing-as-json` or `missing_as_json()`";

#[derive(Clone, Debug, Default)]
pub(crate) struct Documents {
    /// Whether schemas that no document has stand for any JSON.
    pub(crate) missing_as_json: bool,
    /// Whether the documents become plain types: no kinds and operations, and any JSON for what does not have a Rust type.
    pub(crate) plain: bool,
    given: Vec<Arc<Document>>,
    texts: BTreeMap<String, String>,
    loaded: RefCell<BTreeMap<String, Arc<Document>>>,
}

impl Documents {
    pub(crate) fn add(&mut self, documents: Vec<Document>) -> Result<(), Error> {
        documents
            .into_iter()
            .try_for_each(|document| self.add_one(document))
    }

    fn add_one(&mut self, document: Document) -> Result<(), Error> {
        if self.given.iter().any(|other| other.name == document.name) {
            return Err(
                Error::at(&At::root(&document.name), "the document is given twice")
                    .help("remove one of them"),
            );
        }
        self.given.push(Arc::new(document));
        Ok(())
    }

    pub(crate) fn add_neighbour(&mut self, name: &str, text: &str) {
        self.texts.insert(name.to_owned(), text.to_owned());
    }

    /// The same documents, read as plain ones.
    pub(crate) fn as_plain(&self) -> Self {
        Self {
            plain: true,
            ..self.clone()
        }
    }

    /// The files that were read because documents refer to them.
    pub(crate) fn loaded_files(&self) -> Vec<PathBuf> {
        let loaded = self.loaded.borrow();
        let files = loaded.values().filter(|document| document.folder.is_some());
        files
            .map(|document| PathBuf::from(&*document.name))
            .collect()
    }

    /// The given documents that are `{}`.
    /// Errors: all documents are, or the list is empty.
    pub(crate) fn empty(&self) -> Result<Vec<&Document>, Error> {
        if self.given.is_empty() {
            return Err(Error::new("there are no documents").help(format::HELP));
        }
        let given = self.given.iter().map(|document| &**document);
        let empty: Vec<_> = given
            .filter(|document| document.root().is_empty())
            .collect();
        match empty.first() {
            Some(first) if empty.len() == self.given.len() => {
                let message = "the document is empty (`{}`), so that it describes no type";
                Err(first.root().error(message).help(format::HELP))
            }
            _ => Ok(empty),
        }
    }

    pub(crate) fn given(&self) -> &[Arc<Document>] {
        &self.given
    }

    /// A given document, or a file to which one refers.
    pub(crate) fn named(&self, name: &str) -> Option<Arc<Document>> {
        let given = self.given.iter().find(|given| &*given.name == name);
        given
            .cloned()
            .or_else(|| self.loaded.borrow().get(name).cloned())
    }

    /// The document to which `from` refers as `file`.
    fn neighbour(&self, from: &Document, file: &str, at: &At) -> Result<Arc<Document>, Error> {
        let missing = |why: String| {
            let remedy = match (&from.folder, &*from.name) {
                (Some(_), _) => "put that file beside the document",
                (None, "-") => "give the document as a file, with that file beside it",
                (None, _) => "give its text with `Generator::neighbour`",
            };
            Error::at(at, format!("the reference leads to `{file}`, {why}"))
                .help(format!("{remedy}, or {AS_JSON}"))
        };
        // Servers of schemas refer to files by their addresses; collections ship them beside each other.
        let is_address = file.contains("://") || file.starts_with('/');
        let file = match is_address {
            true => file.rsplit('/').next().unwrap_or(file),
            false => file,
        };
        let name = match from.name.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{file}"),
            None => file.to_owned(),
        };
        let known = |d: &&Arc<Document>| *d.name == *name || *d.name == *file;
        if let Some(document) = self.given.iter().find(known) {
            return Ok(Arc::clone(document));
        }
        if let Some(document) = self.loaded.borrow().get(&name) {
            return Ok(Arc::clone(document));
        }
        let document = if let Some(text) = self.texts.get(file) {
            Document::parse(file, text, None)?
        } else if let Some(folder) = &from.folder {
            let path = folder.join(file);
            let text = input::read_file(&path).map_err(|error| match error.kind() {
                ErrorKind::FileTooLarge => unreadable(&path, &error),
                _ => missing(format!("which cannot be read: {error}")),
            })?;
            Document::parse(&name, &text, path.parent().map(PathBuf::from))?
        } else {
            return Err(missing("which was not given".to_owned()));
        };
        let document = Arc::new(document);
        self.loaded.borrow_mut().insert(name, Arc::clone(&document));
        Ok(document)
    }

    /// The document and the pointer's tokens to which a `$ref` leads.
    pub(crate) fn resolve(
        &self,
        from: &Arc<Document>,
        reference: &str,
        at: &At,
    ) -> Result<(Arc<Document>, Vec<String>), Error> {
        let (file, pointer) = reference.split_once('#').unwrap_or((reference, ""));
        let document = if file.is_empty() {
            Arc::clone(from)
        } else {
            self.neighbour(from, file, at)?
        };
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return Err(Error::at(
                at,
                format!("the reference `{reference}` has no JSON pointer"),
            )
            .help("references by anchor are not supported: write `#/$defs/NAME`"));
        }
        let tokens: Vec<String> = pointer
            .split('/')
            .skip(1)
            .map(|token| percent_decoded(token).replace("~1", "/").replace("~0", "~"))
            .collect();
        if document.find(&tokens).is_none() {
            let message = format!(
                "no such reference: `{reference}`: `{}` has nothing at `#{pointer}`",
                document.name
            );
            return Err(Error::at(at, message).help(format!(
                "the document is incomplete: get the whole one, or {AS_JSON}"
            )));
        }
        Ok((document, tokens))
    }
}

/// The error for a document that cannot be read.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let name = path.display();
    let (message, help) = input::describe(error);
    Error::new(format!("{name}: {message}")).help(help)
}

fn percent_decoded(token: &str) -> String {
    let bytes = token.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let code = (bytes[index] == b'%')
            .then(|| token.get(index + 1..index + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(byte) => {
                out.push(byte);
                index += 3;
            }
            None => {
                out.push(bytes[index]);
                index += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| token.to_owned())
}
