//! From the documents to the text of the modules.

use crate::documents::Documents;
use crate::model::Model;
use crate::plan::{self, Plan};
use crate::sharing::Sharing;
use crate::{Error, Generator, Unexpressed};
use crate::{constraints, emit, fields, folder, read, structs, table};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use syn::parse::Parser;

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
    /// An error with the path. Nothing is written if a file there was not written by this generator, holds other
    /// kinds than the documents of this call, or cannot be read. The first file that cannot be written ends the call.
    pub fn write(&self, out: &Path) -> Result<Vec<(PathBuf, bool)>, Error> {
        folder::write(&self.files, out).map_err(Error::new)
    }
}

impl Generator {
    /// Generates the Rust modules.
    ///
    /// # Errors
    /// If a document uses an unsupported keyword or cannot become Rust types.
    pub fn generate(&self) -> Result<Generated, Error> {
        // Names and `::` alone: code follows it.
        let runtime = syn::Path::parse_mod_style.parse_str(&self.runtime);
        let runtime = runtime.map_err(|_| {
            Error::new(format!("the runtime `{}` is not a Rust path", self.runtime))
                .help("give a path such as `crate` or `::k8s_flowcontrol_types`")
        })?;
        let model = self.read(&self.documents)?;
        let (model, mut plan) = self.plan(&self.documents, model)?;
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
        let unreadable = constraints::unreadable(&plan, &constraints);
        let emitter = emit::Emitter::new(&plan, &sharing, &runtime, constraints);
        let mut files = Vec::with_capacity(plan.modules.len() + 1);
        for (index, module) in plan.modules.iter().enumerate() {
            files.push((format!("{}.rs", module.name), emitter.module(index)?));
        }
        files.push(("mod.rs".to_owned(), emit::module_list(&plan)));
        let kinds = plan.kinds();
        let mut notes = self.notes(&model, &plan)?;
        notes.extend(deep);
        notes.extend(unreadable);
        Ok(Generated {
            files,
            shared: sharing.list(&plan),
            kinds,
            notes,
        })
    }

    /// The plan of the types, still without Rust names.
    fn plan(&self, documents: &Documents, mut model: Model) -> Result<(Model, Plan), Error> {
        let mut served = plan::served_kinds(&model)?;
        let packages = plan::packages(&model, &served)?;
        match documents.plain {
            true => fields::check_schemas(&model, &self.options.kinds)?,
            false => fields::select_kinds(&model, &mut served, &self.options.kinds)?,
        }
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
            let left =
                found.filter(|one| one.outcome == crate::Outcome::Server && one.reason.is_some());
            notes.extend(left.map(|one| one.to_string()));
        }
        #[cfg(not(feature = "validate"))]
        if self.validate
            && read::unexpressed(&self.documents)
                .iter()
                .any(|one| one.place.ends_with("/x-kubernetes-validations"))
        {
            notes.push(
                "the CEL rules were not compiled: a generator with the feature `validate` names those that `validate()` \
                 cannot check"
                    .to_owned(),
            );
        }
        if plan.modules.is_empty() {
            notes.push("the documents describe no type, so that nothing is generated".to_owned());
        }
        if plan.kinds() == 0 && !self.documents.plain {
            let reason = plan::without_metadata(model).next();
            let reason = reason.map_or_else(String::new, |kind| format!(": {kind}"));
            notes.push(format!(
                "the documents serve no kind, so that no type implements `Resource`{reason}"
            ));
        }
        Ok(notes)
    }

    /// Lists everything in the documents that no Rust type expresses, with the outcome: bounds, rules, examples,
    /// schemas that become any JSON, and fields that objects keep in `unknown`.
    ///
    /// Documents that [`generate`](Self::generate) cannot use are read as [plain](Self::plain) ones.
    ///
    /// # Errors
    /// As [`Generator::generate`] of plain documents.
    pub fn explain(&self) -> Result<Vec<Unexpressed>, Error> {
        match self.explain_documents(&self.documents) {
            Err(_) if !self.documents.plain => self.explain_documents(&self.documents.as_plain()),
            found => found,
        }
    }

    fn explain_documents(&self, documents: &Documents) -> Result<Vec<Unexpressed>, Error> {
        let (model, plan) = self.plan(documents, self.read(documents)?)?;
        let mut found = read::unexpressed(documents);
        // The reason is known to the reader.
        for known in &model.unexpressed {
            found.retain(|found| found.place != known.place);
        }
        found.extend(model.unexpressed);
        found.extend(plan.kept_unknown());
        Ok(found.into_iter().collect())
    }

    fn read(&self, documents: &Documents) -> Result<Model, Error> {
        documents.empty()?;
        let mut model = read::read(documents)?;
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
        let model = self.read(&self.documents)?;
        Ok(table::table(
            model
                .documents
                .iter()
                .flat_map(|document| &document.operations),
        ))
    }
}
