//! The error type, and places in documents.

use std::fmt;
use std::sync::Arc;

/// A document cannot be used, or the options contradict each other. Nothing is generated then.
///
/// The text names the file and the JSON pointer, the mistake, and a remedy.
pub struct Error(Box<Inner>);

struct Inner {
    place: Option<String>,
    message: String,
    help: Option<String>,
    /// Whether the document is right, and the generator does not have a type for it.
    is_unsupported: bool,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            place: None,
            message: message.into(),
            help: None,
            is_unsupported: false,
        }))
    }

    pub(crate) fn at(at: &At, message: impl Into<String>) -> Self {
        let mut error = Self::new(message);
        error.0.place = Some(at.to_string());
        error
    }

    /// Adds a remedy.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// Marks the error of a schema that is valid and does not have a Rust type.
    pub(crate) fn unsupported(mut self) -> Self {
        self.0.is_unsupported = true;
        self
    }

    pub(crate) fn is_unsupported(&self) -> bool {
        self.0.is_unsupported
    }

    /// The place, and the message without the remedy.
    pub(crate) fn parts(&self) -> (Option<&str>, &str) {
        (self.0.place.as_deref(), &self.0.message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.0.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.0.message)?;
        if let Some(help) = &self.0.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

/// A place in a document: the file's name and a JSON pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) file: Arc<str>,
    pub(crate) pointer: String,
}

impl At {
    pub(crate) fn root(file: &Arc<str>) -> Self {
        Self {
            file: Arc::clone(file),
            pointer: String::new(),
        }
    }

    /// The place of the field or element `token` of the value here.
    pub(crate) fn child(&self, token: &str) -> Self {
        let mut pointer = String::with_capacity(self.pointer.len() + token.len() + 1);
        pointer.push_str(&self.pointer);
        pointer.push('/');
        pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
        Self {
            file: Arc::clone(&self.file),
            pointer,
        }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = match &*self.file {
            "-" => "standard input",
            name => name,
        };
        write!(f, "{file}#{}", self.pointer)
    }
}
