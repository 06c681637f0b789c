//! Content negotiation: the `Accept` header against the representations of the server.
//!
//! A server negotiates twice. The router knows only bare media types, and a request without a known one does not
//! reach the handler. The handler then takes the first acceptable clause with its parameters.

use crate::discovery::Aggregated;
use crate::represent::{MetaVersion, View};
use crate::status::{Details, Failure, failure};
use k8s_flowcontrol_types::Release;

const OBJECTS: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
/// The subtypes of the Swagger 2 document in Protocol Buffers. The second one is not a valid media type, but clients
/// ask for it.
const SWAGGER_PROTOBUF: &[&str] = &[
    "com.github.proto-openapi.spec.v2.v1.0+protobuf",
    "com.github.proto-openapi.spec.v2@v1.0+protobuf",
];
const STREAMS: &str =
    "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

/// The representations of a path, which error messages list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    Json,
    Object,
    /// A list or a watch.
    Collection,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Json,
    Yaml,
    Protobuf,
}

impl Encoding {
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Yaml => "application/yaml",
            Self::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }
}

/// Aggregated discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Discovery {
    pub(crate) version: Aggregated,
    pub(crate) form: Form,
}

/// The representation of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) encoding: Encoding,
    pub(crate) view: View,
    /// Whether JSON is indented.
    pub(crate) pretty: bool,
}

impl Form {
    const PLAIN: Self = Self {
        encoding: Encoding::Json,
        view: View::Whole,
        pretty: false,
    };

    /// Errors: 406 for a watch in an encoding without streams.
    pub(crate) fn check_stream(self) -> Result<(), Failure> {
        match self.encoding {
            Encoding::Json | Encoding::Protobuf => Ok(()),
            Encoding::Yaml => Err(only(STREAMS)),
        }
    }
}

/// Negotiation in the router.
/// Errors: 406 without a known media type.
pub(crate) fn check_route(accept: Option<&str>, offer: Offer) -> Result<(), Failure> {
    let accept = accept.unwrap_or_default();
    let (offered, streams) = match offer {
        Offer::Json => (Encoding::Json.media_type(), String::new()),
        Offer::Object => (OBJECTS, String::new()),
        Offer::Collection => (OBJECTS, format!(", {STREAMS}")),
    };
    let known = |clause: &str| {
        let media_type = clause.split(';').next().unwrap_or_default().trim();
        media_type == "*/*" || offered.split(", ").any(|object| object == media_type)
    };
    if accept.is_empty() || accept.split(',').any(known) {
        return Ok(());
    }
    let message = format!("406: Not Acceptable\n\nAvailable representations: {offered}{streams}");
    Err(failure(406, "NotAcceptable", message).with_details(Details::default()))
}

/// Negotiation in the handler of a resource.
/// Errors: 406 without an acceptable clause.
pub(crate) fn negotiate(accept: Option<&str>, has_protobuf: bool) -> Result<Form, Failure> {
    first_acceptable(accept, |clause| {
        let form = clause.form(true);
        form.filter(|form| has_protobuf || form.encoding != Encoding::Protobuf)
    })
    .ok_or_else(|| only(OBJECTS))
}

/// The representation of a document with one view: a `Status`, or a document about the server.
/// Errors: 406 without an acceptable clause.
pub(crate) fn negotiate_plain(accept: Option<&str>) -> Result<Form, Failure> {
    first_acceptable(accept, |clause| clause.form(false)).ok_or_else(|| only(OBJECTS))
}

/// The aggregated form of discovery, if the client prefers it.
pub(crate) fn negotiate_discovery(accept: Option<&str>, release: Release) -> Option<Discovery> {
    let clauses = clauses(accept.unwrap_or_default());
    let wanted = clauses.iter().find_map(|clause| {
        if clause.form(false).is_some() {
            return Some(None);
        }
        clause.discovery(release).map(Some)
    });
    wanted.flatten()
}

/// Whether the client accepts JSON, with any parameters.
pub(crate) fn takes_json(accept: Option<&str>) -> bool {
    let accept = accept.unwrap_or_default();
    accept.is_empty() || clauses(accept).iter().any(Clause::takes_json)
}

/// The encoding of the Swagger 2 document, or `None` if the client accepts neither. Parameters do not count.
pub(crate) fn negotiate_swagger(accept: Option<&str>) -> Option<Encoding> {
    let accept = accept.filter(|accept| !accept.is_empty());
    clauses(accept.unwrap_or("*/*")).iter().find_map(|clause| {
        if clause.takes_json() {
            return Some(Encoding::Json);
        }
        let known = ["application", "*"].contains(&clause.r#type)
            && SWAGGER_PROTOBUF.contains(&clause.subtype);
        known.then_some(Encoding::Protobuf)
    })
}

fn only(media_types: &str) -> Failure {
    let message = format!("only the following media types are accepted: {media_types}");
    failure(406, "NotAcceptable", message)
}

fn first_acceptable(
    accept: Option<&str>,
    form: impl Fn(&Clause<'_>) -> Option<Form>,
) -> Option<Form> {
    let accept = accept.unwrap_or_default();
    if accept.is_empty() {
        return Some(Form::PLAIN);
    }
    let clauses = clauses(accept);
    clauses.iter().find_map(form)
}

/// The clauses of a header in the order of the server, which inserts each clause ahead of all clauses that it precedes.
fn clauses(accept: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<Clause<'_>> = Vec::new();
    for clause in accept.split(',').filter_map(Clause::parse) {
        let kept = clauses.iter().rposition(|other| !clause.precedes(other));
        clauses.insert(kept.map_or(0, |at| at + 1), clause);
    }
    clauses
}

/// A media type with parameters.
struct Clause<'a> {
    r#type: &'a str,
    subtype: &'a str,
    quality: f32,
    parameters: Vec<(&'a str, &'a str)>,
}

impl<'a> Clause<'a> {
    /// Parses a clause as Go's library does: without a type and a subtype it does not count, nor does a parameter without a value or with
    /// two.
    fn parse(text: &'a str) -> Option<Self> {
        let trim = |text: &'a str| text.trim_matches(' ');
        let mut parts = trim(text).split(';');
        let media_type = parts.next().unwrap_or_default();
        let (r#type, rest) = media_type.split_once('/').unwrap_or((media_type, ""));
        let r#type = trim(r#type);
        let subtype = match rest.split_once('/').unwrap_or((rest, "")) {
            ("", "") if r#type == "*" => "*",
            ("", _) => return None,
            (subtype, "") => trim(subtype),
            _ => return None,
        };
        let mut clause = Self {
            r#type,
            subtype,
            quality: 1.0,
            parameters: Vec::new(),
        };
        for (name, value) in parts.filter_map(|part| part.split_once('=')) {
            let (value, second) = value.split_once('=').unwrap_or((value, ""));
            match trim(name) {
                _ if value.is_empty() || !second.is_empty() => {}
                "q" => clause.quality = value.parse().unwrap_or_default(),
                name => clause.parameters.push((name, trim(value))),
            }
        }
        Some(clause)
    }

    /// Whether this clause moves ahead of an earlier clause: by a higher quality or a more specific type.
    fn precedes(&self, other: &Self) -> bool {
        self.quality > other.quality
            || (self.r#type != "*" && other.r#type == "*")
            || (self.subtype != "*" && other.subtype == "*")
    }

    fn parameter(&self, name: &str) -> Option<&'a str> {
        let mut found = self.parameters.iter().filter(|(key, _)| *key == name);
        found.next_back().map(|(_, value)| *value)
    }

    fn takes_json(&self) -> bool {
        ["application", "*"].contains(&self.r#type) && ["json", "*"].contains(&self.subtype)
    }

    fn encoding(&self) -> Option<Encoding> {
        let encoding = match (self.r#type, self.subtype) {
            ("application", "json" | "*") | ("*", "*") => Encoding::Json,
            ("application", "yaml") => Encoding::Yaml,
            ("application", "vnd.kubernetes.protobuf") => Encoding::Protobuf,
            _ => return None,
        };
        match self.parameter("stream").unwrap_or_default() {
            "" => Some(encoding),
            "watch" if encoding != Encoding::Yaml => Some(encoding),
            _ => None,
        }
    }

    fn discovery(&self, release: Release) -> Option<Discovery> {
        if self.parameter("g") != Some(Aggregated::GROUP)
            || self.parameter("as") != Some(Aggregated::KIND)
        {
            return None;
        }
        let encoding = self.encoding().filter(|it| *it != Encoding::Protobuf)?;
        let form = Form {
            encoding,
            ..Form::PLAIN
        };
        let version = Aggregated::parse(self.parameter("v")?, release)?;
        Some(Discovery { version, form })
    }

    fn form(&self, views: bool) -> Option<Form> {
        let encoding = self.encoding()?;
        let wanted = ["as", "g", "v"].map(|name| self.parameter(name));
        let view = match wanted {
            [None, None, None] => View::Whole,
            [kind, group, version] if views && group == Some("meta.k8s.io") => {
                let version = MetaVersion::parse(version?)?;
                match kind? {
                    // Tables are not served in Protocol Buffers.
                    "Table" if encoding == Encoding::Protobuf => return None,
                    "Table" => View::Table(version),
                    "PartialObjectMetadata" => View::Partial(version),
                    "PartialObjectMetadataList" => View::PartialList(version),
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(Form {
            encoding,
            view,
            pretty: self.parameter("pretty") == Some("1"),
        })
    }
}
