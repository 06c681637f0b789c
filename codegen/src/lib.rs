//! Rust types from Kubernetes documents.
//!
//! A [`Generator`] reads OpenAPI v3, Swagger 2 and JSON Schema documents and CustomResourceDefinitions, as JSON or YAML,
//! and writes Rust modules that depend on `k8s-flowcontrol-types`. Only [`Generator::file`] and [`Generated::write`] use the file
//! system.
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
pub use unexpressed::{Outcome, Unexpressed};

use documents::{Document, Documents};
use fields::FieldsOf;
use format::Format;
use model::Model;
use plan::{Options, Plan};
use select::Selection;
use sharing::Sharing;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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

/// Generated modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// File names and texts: one Rust module each, and a `mod.rs` that declares them.
    pub files: Vec<(String, String)>,
    /// The list of types that versions share, for [`Generator::shared`].
    pub shared: String,
    /// The number of kinds that the documents serve. The documents of `/apis` and `/version`
    /// serve none; only their schemas become types.
    pub kinds: usize,
    /// Sentences for the user about documents that are read and yield less than expected.
    pub notes: Vec<String>,
}

impl Generated {
    /// Writes the modules into the folder `out`, which it creates if necessary, beside the modules of other calls. Returns
    /// each path, with `true` if the file has changed.
    ///
    /// `mod.rs` keeps the modules of other calls. A module of types to which kinds of several calls refer, such as `core_v1`,
    /// keeps the types of all of them.
    ///
    /// # Errors
    /// An error with the path, and nothing is written, if a file there was not written by this generator, or holds other
    /// kinds than the documents of this call; also if a file cannot be read or written.
    pub fn write(&self, out: &Path) -> Result<Vec<(PathBuf, bool)>, Error> {
        folder::write(&self.files, out).map_err(Error::new)
    }
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

    /// Adds a document from a file. References to other files are relative to its folder.
    ///
    /// # Errors
    /// If the file cannot be read, and the errors of [`Generator::document`].
    pub fn file(mut self, path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let text =
            std::fs::read_to_string(path).map_err(|error| documents::unreadable(path, &error))?;
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
    /// A name that no document serves is an error of [`Generator::generate`].
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

    /// Generates the shared apimachinery schemas too, as the module `meta` of the types crate itself.
    pub fn with_meta(mut self) -> Self {
        self.options.own_meta = true;
        self
    }

    /// Generates the Rust modules.
    ///
    /// # Errors
    /// If a document uses an unsupported keyword or cannot become Rust types.
    pub fn generate(&self) -> Result<Generated, Error> {
        let runtime = syn::parse_str::<syn::Path>(&self.runtime).map_err(|_| {
            Error::new(format!("the runtime `{}` is not a Rust path", self.runtime))
                .help("give a path such as `crate` or `::k8s_flowcontrol_types`")
        })?;
        let model = self.read()?;
        let (model, mut plan) = self.plan(model)?;
        let deep = plan::deep(&plan)?;
        structs::complete(&mut plan, &runtime, &self.renames)?;
        if self.options.own_meta {
            plan.check_runtime_types()?;
        }
        let sharing = Sharing::new(&plan);
        if let Some(expected) = &self.shared {
            sharing.check(&plan, expected)?;
        }
        let constraints = match self.validate {
            true => constraints::of_modules(&self.documents, &model, &plan)?,
            false => BTreeMap::new(),
        };
        let emitter = emit::Emitter::new(&plan, &sharing, &runtime, constraints);
        let mut files = Vec::with_capacity(plan.modules.len() + 1);
        for (index, module) in plan.modules.iter().enumerate() {
            files.push((format!("{}.rs", module.name), emitter.module(index)?));
        }
        files.push(("mod.rs".to_owned(), emit::module_list(&plan)));
        let kinds = plan.kinds();
        let mut notes = self.notes(&model, &plan)?;
        notes.extend(deep);
        Ok(Generated {
            files,
            shared: sharing.list(&plan),
            kinds,
            notes,
        })
    }

    /// The plan of the types, still without Rust names.
    fn plan(&self, mut model: Model) -> Result<(Model, Plan), Error> {
        let mut served = plan::served_kinds(&model)?;
        let packages = plan::packages(&model, &served)?;
        fields::select_kinds(&mut served, &self.options.kinds)?;
        fields::apply(&mut model, &served, &self.fields)?;
        let plan = Plan::new(&model, &self.options, &served, packages)?;
        Ok((model, plan))
    }

    fn notes(&self, model: &Model, plan: &Plan) -> Result<Vec<String>, Error> {
        let empty = self.documents.empty()?.into_iter();
        let mut notes: Vec<String> = empty
            .map(|document| format!("{} is empty (`{{}}`) and adds no type", document.name))
            .collect();
        notes.extend(model.unexpressed.iter().map(ToString::to_string));
        notes.extend(structs::unwieldy(plan));
        #[cfg(feature = "validate")]
        if self.validate {
            let found = read::unexpressed(&self.documents).into_iter();
            // With a reason: rules, patterns and formats that the types do not check.
            let left = found.filter(|one| one.outcome == Outcome::Server && one.reason.is_some());
            notes.extend(left.map(|one| one.to_string()));
        }
        #[cfg(not(feature = "validate"))]
        if self.validate {
            notes.push(
                "the CEL rules were not compiled: a generator with the feature `validate` names those that `validate()` \
                 cannot check"
                    .to_owned(),
            );
        }
        if plan.kinds() == 0 && !self.documents.plain {
            notes.push(
                "the documents serve no kind, so that no type implements `Resource`".to_owned(),
            );
        }
        Ok(notes)
    }

    /// Lists everything in the documents that no Rust type expresses, with the outcome: bounds, rules, examples,
    /// schemas that become any JSON, and fields that objects keep in `unknown`.
    ///
    /// # Errors
    /// Those of [`Generator::generate`], except those of a single type.
    pub fn explain(&self) -> Result<Vec<Unexpressed>, Error> {
        let (model, plan) = self.plan(self.read()?)?;
        let mut found = read::unexpressed(&self.documents);
        // The reason is known to the reader.
        for known in &model.unexpressed {
            found.retain(|found| found.place != known.place);
        }
        found.extend(model.unexpressed);
        found.extend(plan.kept_unknown());
        Ok(found.into_iter().collect())
    }

    fn read(&self) -> Result<Model, Error> {
        self.documents.empty()?;
        let mut model = read::read(&self.documents)?;
        if let Some(selection) = &self.selection {
            selection.apply(&mut model)?;
        }
        Ok(model)
    }

    /// Prints a table of the operations in the documents.
    ///
    /// # Errors
    /// If a document uses an unsupported keyword.
    pub fn operations(&self) -> Result<String, Error> {
        let model = self.read()?;
        Ok(table::table(
            model
                .documents
                .iter()
                .flat_map(|document| &document.operations),
        ))
    }
}
