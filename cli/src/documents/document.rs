//! The documents of a file.

use crate::similar_name::nearest;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol_manifests::Source;
use k8s_flowcontrol_manifests::{DecodeError, Form, ReadOptions, Unreadable, read_with};
use k8s_flowcontrol_text::Span;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

/// A flow-control object in a file.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) source: Arc<Source>,
    document: k8s_flowcontrol_manifests::Document,
}

impl Deref for Document {
    type Target = k8s_flowcontrol_manifests::Document;

    fn deref(&self) -> &Self::Target {
        &self.document
    }
}

impl Document {
    /// The message for a document that is not an object.
    pub(crate) fn decode_message(&self, error: &DecodeError) -> String {
        match self.has_type() || self.name().is_some() {
            true => format!("{}: {error}", self.title()),
            // Nothing shows that it is an object at all.
            false => error.to_string(),
        }
    }

    /// The next step for a document that is not an object, if it is a template or misspells its kind.
    pub(crate) fn decode_help(&self) -> Option<String> {
        let (_, text) = self.body();
        if self.value().is_none() && text.windows(2).any(|two| two == b"{{") {
            return Some(
                "render templates first, as in `helm template CHART | kubectl flowcontrol validate -f -`"
                    .into(),
            );
        }
        let written = self.written_kind();
        let kinds = Kind::ALL.iter().map(|kind| kind.as_str());
        let meant = nearest(written, kinds).filter(|kind| *kind != written)?;
        Some(format!("did you mean `kind: {meant}`?"))
    }
}

/// The documents of a file.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) source: Arc<Source>,
    /// Flow-control objects, and broken documents that mention flow control.
    pub(crate) documents: Vec<Document>,
    /// The number of documents of other kinds.
    pub(crate) others: usize,
    /// Broken documents that do not mention flow control, such as templates of other kinds.
    pub(crate) unreadable: Vec<Unreadable>,
    /// Texts after `---`, at which kubectl fails.
    pub(crate) separators: Vec<Span>,
    /// Lines before a document, at which kubectl fails.
    pub(crate) before_documents: Vec<Span>,
    /// Documents after `...`, which kubectl ignores.
    pub(crate) ignored: Vec<Span>,
}

/// Finds the flow-control objects of a file.
pub(crate) fn documents(source: Source) -> Found {
    let source = Arc::new(source);
    let form = Form::by_extension(Path::new(&source.name));
    let options = ReadOptions {
        form: form.filter(|form| *form != Form::Template),
        is_flow_control: source.is_named,
    };
    let found = read_with(Arc::clone(&source.text), options);
    let documents = found.documents.into_iter().map(|document| Document {
        source: Arc::clone(&source),
        document,
    });
    Found {
        documents: documents.collect(),
        others: found.others,
        unreadable: found.unreadable,
        separators: found.separators,
        before_documents: found.before_documents,
        ignored: found.ignored,
        source,
    }
}
