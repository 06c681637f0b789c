//! The flow schemas and priority levels that a command looks at together: from files or from a cluster.

use crate::cluster::{ClusterArgs, all_objects, block_on, release_of};
use crate::documents::{Document, FileArgs, Judge, Object, each_readable_object};
use crate::failure::Failure;
use crate::output::{Diagnostic, Streams, note};
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::convert::{Lossy, shape_tree};
use k8s_flowcontrol::kind::VersionedKind;
use k8s_flowcontrol::rules::bootstrap::{self, AUTO_UPDATE_ANNOTATION};
use k8s_flowcontrol::rules::matching::Classifier;
use k8s_flowcontrol::{ApiVersion, Kind, Release, Resource};
use k8s_flowcontrol_analysis::lint::{Fault, FaultKind};
use k8s_flowcontrol_manifests::version_of;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

/// Flow schemas and priority levels in the types of v1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    pub(crate) flow_schemas: Vec<FlowSchema>,
    pub(crate) levels: Vec<PriorityLevelConfiguration>,
    /// The documents of objects from files, in order.
    pub(crate) documents: Vec<Document>,
    /// The faults of the objects of files, and the index of the document.
    faults: Vec<(usize, Fault)>,
    /// The same faults, and duplicate objects, as warnings.
    warnings: Vec<Diagnostic>,
    /// The last document of each object, by kind and name.
    last: HashMap<(Kind, String), usize>,
    /// The release of the cluster, if the objects come from a cluster.
    pub(crate) live: Option<Release>,
}

impl Objects {
    /// The objects of files, as a server of `release` reads them. Prints a warning for each fault of an object.
    /// Errors: if a file or an object cannot be read, and without any object.
    pub(crate) fn read(
        files: &FileArgs,
        release: Release,
        streams: &mut Streams,
    ) -> Result<Self, Failure> {
        let (objects, unread) = Self::readable(files, release, streams)?;
        for warning in &objects.warnings {
            warning.write(&mut streams.err)?;
        }
        Failure::last_of(unread, streams).map(|()| objects)
    }

    /// The objects of the files that can be read, with their faults, and the errors of the others.
    /// Errors: if there is neither an object nor an error.
    pub(crate) fn readable(
        files: &FileArgs,
        release: Release,
        streams: &mut Streams,
    ) -> Result<(Self, Vec<Failure>), Failure> {
        let mut objects = Self::default();
        let judge = Judge::new(release);
        let unread = each_readable_object(files, release, streams, |object, _| {
            objects.push(object, &judge, release)
        })?;
        match objects.documents.is_empty() && unread.is_empty() {
            true => Err(Failure::no_objects(files)),
            false => Ok((objects, unread)),
        }
    }

    /// The objects of a cluster, whose release is `given` or the release that the cluster reports.
    pub(crate) fn live(cluster: &ClusterArgs, given: Option<Release>) -> Result<Self, Failure> {
        block_on(async {
            let client = cluster.client().await?;
            let release = release_of(&client, given).await?;
            let (flow_schemas, levels) = all_objects(&client).await?;
            Ok(Self {
                flow_schemas,
                levels,
                live: Some(release),
                ..Self::default()
            })
        })
    }

    /// Objects of any version; values of other kinds are ignored.
    /// Errors: the first value that is not an object of its kind.
    pub(crate) fn of_values(values: Vec<Value>) -> Result<Self, String> {
        let mut objects = Self::default();
        for value in values {
            match value["kind"].as_str() {
                Some("FlowSchema") => {
                    objects
                        .flow_schemas
                        .push(of_any_version(value, Kind::FlowSchema)?);
                }
                Some("PriorityLevelConfiguration") => {
                    let level = of_any_version(value, Kind::PriorityLevelConfiguration)?;
                    objects.levels.push(level);
                }
                _ => {}
            }
        }
        Ok(objects)
    }

    /// Adds the built-in objects of `release` whose names are free, and returns their number.
    pub(crate) fn add_bootstrap(&mut self, release: Release) -> usize {
        let before = self.flow_schemas.len() + self.levels.len();
        add_missing(&mut self.flow_schemas, bootstrap::flow_schemas(release));
        add_missing(&mut self.levels, bootstrap::priority_levels(release));
        self.flow_schemas.len() + self.levels.len() - before
    }

    /// Replaces objects with the same name, and adds the others.
    pub(crate) fn apply(&mut self, others: Self) {
        replace(&mut self.flow_schemas, others.flow_schemas);
        replace(&mut self.levels, others.levels);
        let before = self.documents.len();
        for document in others.documents {
            self.add(document);
        }
        let faults = others.faults.into_iter();
        self.faults
            .extend(faults.map(|(index, fault)| (before + index, fault)));
        self.warnings.extend(others.warnings);
    }

    /// The objects after the files are applied; `None` without files.
    pub(crate) fn with(
        &self,
        files: &[PathBuf],
        release: Release,
        streams: &mut Streams,
    ) -> Result<Option<Self>, Failure> {
        if files.is_empty() {
            return Ok(None);
        }
        let mut objects = self.clone();
        objects.apply(Self::read(&FileArgs::of(files), release, streams)?);
        Ok(Some(objects))
    }

    /// The faults of the objects of files, without those of an object that another one with its name replaces.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        let is_last = |(index, fault): &&(usize, Fault)| {
            let last = self.last.get(&(fault.kind, fault.name.clone()));
            last.is_none_or(|last| last == index)
        };
        let faults = self.faults.iter().filter(is_last);
        faults.map(|(_, fault)| fault.clone()).collect()
    }

    /// The document of an object, or the last of several documents with its name.
    pub(crate) fn document(&self, kind: Kind, name: &str) -> Option<&Document> {
        let last = self.last.get(&(kind, name.to_owned()))?;
        self.documents.get(*last)
    }

    fn add(&mut self, document: Document) {
        if let Some(name) = document.name() {
            let key = (document.kind(), name.to_owned());
            self.last.insert(key, self.documents.len());
        }
        self.documents.push(document);
    }

    fn push(&mut self, object: Object, judge: &Judge, release: Release) -> Result<(), Failure> {
        for (fault, warning) in judge.faults(&object) {
            self.faults.push((self.documents.len(), fault));
            self.warnings.push(warning);
        }
        if self.document(object.kind, object.name()).is_some() {
            let message = format!(
                "duplicate {}: the last one is used",
                object.document.title()
            );
            let diagnostic =
                Diagnostic::warning(message).at(&object.document.source, object.document.start());
            self.warnings.push(diagnostic);
        }
        let losses = match object.kind {
            Kind::FlowSchema => {
                let (schema, losses) = object.in_v1(release)?;
                self.flow_schemas.push(schema);
                losses
            }
            Kind::PriorityLevelConfiguration => {
                let (level, losses) = object.in_v1(release)?;
                self.levels.push(level);
                losses
            }
        };
        for loss in losses {
            let message = format!("{}: {loss}", object.document.title());
            let diagnostic = Diagnostic::warning(message)
                .at(&object.document.source, object.document.locate(&loss.path));
            self.warnings.push(diagnostic);
            let what = FaultKind::Loss(loss.why);
            let fault = Fault::new(object.kind, object.name().into(), loss.path, what);
            self.faults.push((self.documents.len(), fault));
        }
        self.add(object.document);
        Ok(())
    }
}

/// Prints a note for each flow schema of a configuration, and of the one with which it is compared, whose priority level is missing. A note
/// about either of both begins with its name.
pub(crate) fn note_dangling(
    objects: &Objects,
    compared: Option<&Objects>,
    [name, compared_name]: [&str; 2],
    release: Release,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let of = |objects: &Objects| -> BTreeSet<(String, String)> {
        let classifier = Classifier::new(&objects.flow_schemas, &objects.levels, release);
        let dangling = classifier.dangling();
        dangling
            .map(|(schema, level)| (schema.to_owned(), level.to_owned()))
            .collect()
    };
    let first = of(objects);
    let second = compared.map_or_else(|| first.clone(), of);
    for dangling in first.union(&second) {
        let whose = match (first.contains(dangling), second.contains(dangling)) {
            (true, false) => format!("{name}: "),
            (false, true) => format!("{compared_name}: "),
            _ => String::new(),
        };
        let (schema, level) = dangling;
        let text = format!(
            "{whose}the flow schema {schema} refers to the priority level {level}, which does not exist, so that no request matches it"
        );
        note(streams, &text)?;
    }
    Ok(())
}

/// An object of any version in v1.
fn of_any_version<K: Resource>(value: Value, kind: Kind) -> Result<K, String> {
    let version = value["apiVersion"].as_str().and_then(version_of);
    let version = version.unwrap_or(ApiVersion::V1);
    let kind = VersionedKind::new(kind, version, Release::NEWEST);
    let (value, _) = Lossy::parts(shape_tree(value, kind, ApiVersion::V1));
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// Adds the built-in objects whose names are free.
fn add_missing<K: Resource>(objects: &mut Vec<K>, built_in: Vec<K>) {
    for object in built_in {
        if objects.iter().all(|other| other.name() != object.name()) {
            objects.push(object);
        }
    }
}

/// Replaces objects with the same name, and adds the others. Who maintains an object does not change by an apply without the annotation about it.
fn replace<K: Resource>(objects: &mut Vec<K>, mut others: Vec<K>) {
    let by_name: HashMap<_, _> = objects
        .iter()
        .map(|old| (old.name(), old.metadata()))
        .collect();
    for other in &mut others {
        let Some(old) = by_name.get(other.name()) else {
            continue;
        };
        if let Some(kept) = old.annotations.get(AUTO_UPDATE_ANNOTATION) {
            let annotations = &mut other.metadata_mut().annotations;
            annotations
                .entry(AUTO_UPDATE_ANNOTATION.to_owned())
                .or_insert_with(|| kept.clone());
        }
    }
    let names: HashSet<_> = others.iter().map(Resource::name).collect();
    objects.retain(|object| !names.contains(object.name()));
    drop(names);
    objects.extend(others);
}
