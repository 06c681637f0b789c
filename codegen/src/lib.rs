//! Rust types from Kubernetes documents.
//!
//! A [`Generator`] reads OpenAPI v3, Swagger 2 and JSON Schema documents and CustomResourceDefinitions, as JSON or YAML,
//! and writes Rust modules that depend on `k8s-flowcontrol-types`. Only [`Build`], [`Generated::write`], [`Generator::file`] and
//! [`Generator::definitions`] use the file system; documents that they read may refer to files beside them.
//!
//! ```
//! use k8s_flowcontrol_codegen::Generator;
//!
//! let document = r##"{
//!     "$schema": "http://json-schema.org/schema#",
//!     "description": "How a thing is painted.",
//!     "type": "object",
//!     "properties": { "layers": { "type": ["integer", "null"], "format": "int32" } }
//! }"##;
//! let generated = Generator::new().document("paint.json", document)?.generate()?;
//! let (name, text) = &generated.files[0];
//! assert_eq!(name, "paint.rs");
//! assert!(text.contains("pub layers: Option<i32>,"));
//! # Ok::<(), k8s_flowcontrol_codegen::Error>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

mod build;
mod constraints;
mod documents;
mod emit;
mod error;
mod fields;
mod fixups;
mod folder;
mod format;
mod generate;
mod input;
mod json;
mod manifest;
mod model;
mod names;
mod plan;
mod read;
mod runtime;
mod select;
mod sharing;
mod structs;
mod table;
mod unexpressed;

pub use build::Build;
pub use error::Error;
pub use generate::Generated;
pub use unexpressed::{Outcome, Unexpressed};

use documents::{Document, Documents};
use fields::FieldsOf;
use format::Format;
use plan::Options;
use select::Selection;
use std::collections::BTreeMap;
use std::path::Path;

/// Generates Rust modules from documents.
#[derive(Debug)]
pub struct Generator {
    documents: Documents,
    runtime: String,
    shared: Option<String>,
    selection: Option<Selection>,
    options: Options,
    fields: Vec<FieldsOf>,
    renames: BTreeMap<String, String>,
    validate: bool,
}

impl Default for Generator {
    fn default() -> Self {
        Self {
            documents: Documents::default(),
            runtime: "::k8s_flowcontrol_types".to_owned(),
            shared: None,
            selection: None,
            options: Options::default(),
            fields: Vec::new(),
            renames: BTreeMap::new(),
            validate: false,
        }
    }
}

impl Generator {
    /// A generator without documents.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document, or all CustomResourceDefinitions of a manifest. Of several versions of a group the first owns the types that they share.
    ///
    /// References from other documents, and errors, use `name`.
    ///
    /// # Errors
    /// If the text is neither JSON nor YAML, or not a document of a supported format.
    pub fn document(mut self, name: &str, text: &str) -> Result<Self, Error> {
        self.documents.add(Document::parse_all(name, text, None)?)?;
        Ok(self)
    }

    /// Adds a document from a file, which may have 64 MiB. References to other files are relative to its folder.
    ///
    /// # Errors
    /// If the file cannot be read or is longer, and the errors of [`Generator::document`].
    pub fn file(mut self, path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let text = input::read_file(path).map_err(|error| documents::unreadable(path, &error))?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        self.documents
            .add(Document::parse_all(&name, &text, Some(folder))?)?;
        Ok(self)
    }

    /// Adds the CustomResourceDefinitions of a manifest from a file.
    ///
    /// # Errors
    /// If the file holds none, and the errors of [`Generator::file`].
    pub fn definitions(mut self, path: &Path) -> Result<Self, Error> {
        let before = self.documents.given().len();
        self = self.file(path)?;
        let is_definition = |document: &std::sync::Arc<Document>| {
            document.format == Format::CustomResourceDefinition
        };
        if self.documents.given()[before..].iter().all(is_definition) {
            return Ok(self);
        }
        let message = format!(
            "{}: does not contain a CustomResourceDefinition",
            path.display()
        );
        Err(Error::new(message).help("give other documents with `document`"))
    }

    /// Provides a file to which documents refer. Only the referenced schemas are generated.
    pub fn neighbour(mut self, name: &str, text: &str) -> Self {
        self.documents.add_neighbour(name, text);
        self
    }

    /// Sets the path of the types crate in the generated code. Defaults to `::k8s_flowcontrol_types`.
    pub fn runtime(mut self, path: &str) -> Self {
        self.runtime = path.to_owned();
        self
    }

    /// Sets the reviewed list of types that versions share. Generation fails if the documents differ
    /// from it.
    pub fn shared(mut self, list: &str) -> Self {
        self.shared = Some(list.to_owned());
        self
    }

    /// Reads values as any JSON where a reference leads to a schema that no document has; by default that is an error.
    pub fn missing_as_json(mut self) -> Self {
        self.documents.missing_as_json = true;
        self
    }

    /// Reads any OpenAPI or JSON Schema document, not only Kubernetes', as plain types: without kinds and operations,
    /// with the fields of all schemas of an `allOf` in one struct, and with any JSON for schemas that have no Rust type, such
    /// as a `oneOf` of different types. [`Generated::notes`] has each of those places.
    ///
    /// ```
    /// use k8s_flowcontrol_codegen::Generator;
    ///
    /// let document = r##"{
    ///     "openapi": "3.0.3",
    ///     "components": { "schemas": {
    ///         "Pet": { "type": "object", "properties": { "name": { "type": "string" } } },
    ///         "Cat": { "allOf": [
    ///             { "$ref": "#/components/schemas/Pet" },
    ///             { "properties": { "lives": { "oneOf": [{ "type": "integer" }, { "type": "boolean" }] } } }
    ///         ] }
    ///     } }
    /// }"##;
    /// let generated = Generator::new().plain().document("pets.json", document)?.generate()?;
    /// assert!(generated.files[0].1.contains("pub struct Cat"));
    /// assert!(generated.notes[0].starts_with("pets.json#/components/schemas/Cat/allOf/1/properties/lives/oneOf: "));
    /// # Ok::<(), k8s_flowcontrol_codegen::Error>(())
    /// ```
    pub fn plain(mut self) -> Self {
        self.documents.plain = true;
        self
    }

    /// Selects the kinds of one API group, in all versions or in one, and the schemas to which they refer;
    /// for documents of several groups, such as a server's `/openapi/v2`. The core group is `core` or
    /// empty.
    pub fn select(mut self, group: &str, version: Option<&str>) -> Self {
        self.selection = Some(Selection {
            group: if group == "core" { "" } else { group }.to_owned(),
            version: version.map(str::to_owned),
        });
        self
    }

    /// Generates only the kinds with these names, and the types that they need. Without names all kinds are generated.
    ///
    /// After [`Generator::plain`] these are the names of schemas, as the documents have them.
    ///
    /// A name that no document has is an error of [`Generator::generate`].
    pub fn kinds<K: Into<String>>(mut self, kinds: impl IntoIterator<Item = K>) -> Self {
        self.options.kinds.extend(kinds.into_iter().map(Into::into));
        self
    }

    /// Generates only these fields of a kind, such as `status.phase` or `spec.containers.image`; lists and maps do not
    /// take a step. A path to an object selects all of its fields. `metadata` is always included.
    ///
    /// Objects keep the other fields in `unknown`. A type that several kinds or paths reach has the fields of all of them.
    /// Types with fewer fields are smaller and faster to read; new objects lack the other fields, also where the server requires
    /// them, and the runtime schema does not know them.
    ///
    /// A path that leads to no field is an error of [`Generator::generate`].
    pub fn fields<P: Into<String>>(
        mut self,
        kind: &str,
        paths: impl IntoIterator<Item = P>,
    ) -> Self {
        let paths = paths.into_iter().map(Into::into);
        match self.fields.iter_mut().find(|of| of.kind == kind) {
            Some(of) => of.paths.extend(paths),
            None => self.fields.push(FieldsOf {
                kind: kind.to_owned(),
                paths: paths.collect(),
            }),
        }
        self
    }

    /// Gives the type that would have the name `from` the name `to`, for names that are too long or end in a number.
    ///
    /// A type that does not exist, and a name that is taken or is not a type's name, are errors of [`Generator::generate`].
    pub fn rename(mut self, from: &str, to: &str) -> Self {
        self.renames.insert(from.to_owned(), to.to_owned());
        self
    }

    /// Gives kinds `validate()` and `validate_update()`: their schemas' bounds, patterns, list keys and CEL rules
    /// (`x-kubernetes-validations`) become a part of the generated code. Without kinds all named schemas get them.
    ///
    /// The generated code needs the feature `validate` of the types crate. With the feature `validate` of this crate
    /// [`Generated::notes`] names every rule that `validate()` cannot check; it is reported at run time, too.
    pub fn validate(mut self) -> Self {
        self.validate = true;
        self
    }

    /// Generates the shared apimachinery schemas too, as the module `meta`. For the types crate.
    #[doc(hidden)]
    pub fn with_meta(mut self) -> Self {
        self.options.own_meta = true;
        self
    }
}
