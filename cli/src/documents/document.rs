//! The documents of a file.

use k8s_flowcontrol_manifests::Source;
use k8s_flowcontrol_manifests::{Form, ReadOptions, Unreadable, read_with};
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
}

/// Finds the flow-control objects of a file.
pub(crate) fn documents(source: Source) -> Found {
    let source = Arc::new(source);
    let form = Form::by_extension(Path::new(&source.name));
    let options = ReadOptions {
        form: form.filter(|form| *form != Form::Template),
        is_flow_control: source.is_named,
        // A server has a response to an empty body; an empty pipe is not a request.
        keeps_empty: source.is_named && source.name != "-",
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
        source,
    }
}
