//! Documents as objects.

use super::document::Document;
use super::files::FileArgs;
use super::passed::Passed;
use super::scan::documents;
use crate::cluster::{self, ClusterArgs};
use crate::failure::Failure;
use crate::output::{Diagnostic, Streams, plural};
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::convert::{Loss, Lossy};
use k8s_flowcontrol::kind::VersionedKind;
use k8s_flowcontrol::rules::conversion::server_tree;
use k8s_flowcontrol::rules::decode::{DecodeAs, Format, Problem};
use k8s_flowcontrol::rules::{bootstrap, decode};
use k8s_flowcontrol::{ApiVersion, Release, Resource};
use k8s_flowcontrol_text as text;
use k8s_flowcontrol_text::{Content, Span, SyntaxError};
use serde_json::Value;
use std::io::Write;

/// An object as a server reads it.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// Where it stands.
    pub(crate) document: Document,
    /// Its kind.
    pub(crate) kind: Kind,
    /// The version that it is written in.
    pub(crate) version: ApiVersion,
    /// The object in that version: known members only, and no defaults.
    pub(crate) tree: Value,
    /// Members that a server does not know, or that are there twice.
    problems: Vec<Problem>,
}

impl Object {
    pub(crate) fn name(&self) -> &str {
        self.tree["metadata"]["name"].as_str().unwrap_or_default()
    }

    /// The object with its unknown members, so that they are seen to get lost; one that holds too much for that
    /// without.
    pub(crate) fn written(&self) -> Value {
        let value = self.document.value().filter(Value::is_object);
        value.unwrap_or_else(|| self.tree.clone())
    }

    /// Warns of members that a server does not know, and of those that are there more than once.
    pub(crate) fn warn(&self, streams: &mut Streams) -> Result<(), Failure> {
        self.warn_of(streams, |_| true)
    }

    /// Warns of members that are there more than once: one of them counts.
    pub(crate) fn warn_of_duplicates(&self, streams: &mut Streams) -> Result<(), Failure> {
        self.warn_of(streams, |problem| !problem.message.starts_with("unknown"))
    }

    fn warn_of(
        &self,
        streams: &mut Streams,
        is_meant: impl Fn(&&Problem) -> bool,
    ) -> Result<(), Failure> {
        for problem in self.problems.iter().filter(is_meant) {
            let span = self.document.in_source(problem.span);
            let message = format!("{}: {}", self.document.title(), problem.message);
            let diagnostic = Diagnostic::warning(message)
                .at(&self.document.source, span.unwrap_or(self.document.start()));
            write!(streams.err, "{}", diagnostic.render())?;
        }
        Ok(())
    }

    /// The object as a server of `release` shows it in v1, and what is lost on the way.
    fn in_v1<K: Resource>(&self, release: Release) -> Result<(K, Vec<Loss>), Failure> {
        let kind = VersionedKind::new(self.kind, self.version, release);
        let (tree, losses) = Lossy::parts(server_tree(self.tree.clone(), kind, ApiVersion::V1));
        let object = serde_json::from_value(tree).map_err(|error| {
            let diagnostic = Diagnostic::error(format!("{}: {error}", self.document.title()))
                .at(&self.document.source, self.document.start());
            Failure::input("an object cannot be read").because(vec![diagnostic])
        })?;
        Ok((object, losses))
    }
}

impl Document {
    /// The object as a server of `release` decodes it.
    pub(crate) fn decode(&self, release: Release) -> Result<Object, Failure> {
        let (format, body) = self.readable_body();
        let shift = self.body().1.len() - body.len();
        let refuse = |message: &str, span: Option<Span>| {
            let span = span
                .and_then(|span| self.in_source(Span::new(span.start + shift, span.end + shift)));
            let diagnostic = Diagnostic::error(format!("{}: {message}", self.title()))
                .at(&self.source, span.unwrap_or(self.start()));
            Failure::input("an object cannot be read").because(vec![diagnostic])
        };
        let syntax = |error: SyntaxError| {
            refuse(
                error.message(),
                Some(Span::new(error.offset(), error.offset() + 1)),
            )
        };
        let (tree, duplicates) = match format {
            Format::Json => (text::parse_json(body).map_err(syntax)?, Vec::new()),
            Format::Yaml => {
                let yaml = text::parse_yaml(body).map_err(syntax)?;
                let problem = |key: text::DuplicateKey| Problem {
                    message: key.to_string(),
                    span: key.span,
                };
                (
                    yaml.tree,
                    yaml.duplicates.into_iter().map(problem).collect(),
                )
            }
        };
        if matches!(tree.root().content(), Content::Null) {
            let message = "there is nothing: expected a FlowSchema or a PriorityLevelConfiguration";
            return Err(refuse(message, None));
        }
        let kind = self.posted.kind;
        let said = self.said.api_version.as_deref().unwrap_or_default();
        let version = self.said.shape().unwrap_or(self.version(release));
        if self.posted.version.is_none() && self.said.shape().is_none() && !said.is_empty() {
            return Err(refuse(
                &format!(
                    "{said:?} is no version of flow control: expected one of v1, v1beta3, v1beta2 and v1beta1"
                ),
                Some(
                    tree.root()
                        .get("apiVersion")
                        .map_or(Span::default(), text::Node::span),
                ),
            ));
        }
        let target = DecodeAs::from(VersionedKind::new(kind, version, release));
        let decoded = decode::decode(tree.root(), target.sorted(format == Format::Yaml))
            .map_err(|error| refuse(&error.message, Some(error.span)))?;
        let mut tree = decoded.value;
        tree["apiVersion"] = version.api_version().into();
        tree["kind"] = kind.as_str().into();
        Ok(Object {
            document: self.clone(),
            kind,
            version,
            tree,
            problems: duplicates.into_iter().chain(decoded.problems).collect(),
        })
    }

    /// The object as it is written, unknown members and all, without what a server has filled in. Nothing for
    /// a text that cannot be read.
    pub(crate) fn stripped(&self) -> Option<Value> {
        let mut value = self.value()?;
        strip_server_fields(&mut value);
        Some(value)
    }

    /// The object as it is written, unknown members and all.
    pub(crate) fn value(&self) -> Option<Value> {
        let (format, body) = self.readable_body();
        let tree = match format {
            Format::Json => text::parse_json(body).ok()?,
            Format::Yaml => text::parse_yaml(body).ok()?.tree,
        };
        text::to_value(tree.root()).ok()
    }

    /// Whether the object was exported from a cluster, and so cannot be created as it is.
    pub(crate) fn has_resource_version(&self) -> bool {
        self.said.has_resource_version
    }
}

/// Takes away what only a server can say.
pub(crate) fn strip_server_fields(object: &mut Value) {
    let Some(members) = object.as_object_mut() else {
        return;
    };
    members.remove("status");
    if let Some(metadata) = members.get_mut("metadata").and_then(Value::as_object_mut) {
        for name in [
            "creationTimestamp",
            "generation",
            "managedFields",
            "resourceVersion",
            "selfLink",
            "uid",
        ] {
            metadata.remove(name);
        }
    }
}

/// A set of objects in v1's types.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    pub(crate) flow_schemas: Vec<FlowSchema>,
    pub(crate) levels: Vec<PriorityLevelConfiguration>,
    /// Where those from files stand: flow schemas and levels in the order in which they came.
    pub(crate) documents: Vec<Document>,
    /// The release of the cluster that they come from, when it is known.
    pub(crate) live: Option<Release>,
}

impl Objects {
    /// The objects of files, as a server of `release` reads them.
    pub(crate) fn read(
        files: &FileArgs,
        release: Release,
        streams: &mut Streams,
    ) -> Result<Self, Failure> {
        let mut objects = Self::default();
        let mut passed = Passed::default();
        let mut broken = Vec::new();
        for source in files.sources()? {
            let found = documents(source?);
            passed.add(&found, streams)?;
            for document in &found.documents {
                match document.decode(release) {
                    Ok(object) => objects.push(&object, release, streams)?,
                    Err(failure) => broken.extend(failure.into_diagnostics()),
                }
            }
        }
        passed.summarize(streams)?;
        if !broken.is_empty() {
            let count = plural(broken.len(), "object");
            return Err(Failure::input(format!("{count} cannot be read")).because(broken));
        }
        Ok(objects)
    }

    /// The objects of a cluster.
    pub(crate) fn live(cluster: &ClusterArgs) -> Result<Self, Failure> {
        cluster::block_on(async {
            let client = cluster.client().await?;
            let version = client.version().await?;
            let schemas = client.negotiated::<FlowSchema>().await?;
            let levels = client.negotiated::<PriorityLevelConfiguration>().await?;
            let flow_schemas = schemas.list().await?.items;
            let levels = levels.list().await?.items;
            Ok(Self {
                flow_schemas,
                levels,
                documents: Vec::new(),
                live: version.git_version.parse().ok(),
            })
        })
    }

    /// Adds the objects that a server of `release` makes by itself, where there is none of their name.
    pub(crate) fn add_bootstrap(&mut self, release: Release) {
        for object in bootstrap::objects(release) {
            // The built-in trees are written in v1 and fit its types.
            let tree = object.tree();
            if object.kind == Kind::FlowSchema {
                let missing = self
                    .flow_schemas
                    .iter()
                    .all(|other| other.name() != object.name);
                let object = serde_json::from_value(tree).ok().filter(|_| missing);
                self.flow_schemas.extend(object);
            } else {
                let missing = self.levels.iter().all(|other| other.name() != object.name);
                self.levels
                    .extend(serde_json::from_value(tree).ok().filter(|_| missing));
            }
        }
    }

    /// Replaces objects of the same name, and adds the others.
    pub(crate) fn apply(&mut self, others: Self) {
        // Of several objects of one name the last counts.
        self.flow_schemas.extend(others.flow_schemas);
        self.levels.extend(others.levels);
        self.documents.extend(others.documents);
    }

    /// The document of an object, of several of one name the last.
    pub(crate) fn document(&self, kind: &str, name: &str) -> Option<&Document> {
        self.documents.iter().rev().find(|document| {
            document.posted.kind.as_str() == kind && document.said.name.as_deref() == Some(name)
        })
    }

    fn push(
        &mut self,
        object: &Object,
        release: Release,
        streams: &mut Streams,
    ) -> Result<(), Failure> {
        object.warn(streams)?;
        if self.document(object.kind.as_str(), object.name()).is_some() {
            let message = format!(
                "{} is there more than once; the last one counts",
                object.document.title()
            );
            let diagnostic =
                Diagnostic::warning(message).at(&object.document.source, object.document.start());
            write!(streams.err, "{}", diagnostic.render())?;
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
            write!(streams.err, "{}", diagnostic.render())?;
        }
        self.documents.push(object.document.clone());
        Ok(())
    }
}
