//! The place in a list where another process continues.

use crate::ApiVersion;
use crate::error::{Error, ErrorKind};
use crate::request::http_request::HttpRequest;
use crate::request::path::in_version;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;
use url::form_urlencoded::{Serializer as Query, parse};

const TOKEN: &str = "continue";
const LIMIT: &str = "limit";
const SELECTORS: [&str; 3] = ["labelSelector", "fieldSelector", "shardSelector"];

/// The place of the next page of a list: of [`Pages::page_token`](crate::client::Pages::page_token), for
/// [`ListRequest::page_token`](super::ListRequest::page_token).
///
/// It contains the server's continue token and everything that must not change: the collection, the API version, the
/// selectors and the size of the pages. As text, and in every format of serde, it is the path and query of the request.
/// Servers forget the state of a list after a few minutes: a token that has expired is an error for which
/// [`is_expired`](Error::is_expired) is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageToken {
    path: String,
    query: Vec<(&'static str, String)>,
}

impl PageToken {
    /// The token of a request for a page other than the first.
    pub(crate) fn of(request: &HttpRequest) -> Option<Self> {
        let parameter = |name| Some((name, request.get(name)?.to_owned()));
        Self::new(&request.path, parameter)
    }

    fn new(
        path: &str,
        parameter: impl Fn(&'static str) -> Option<(&'static str, String)>,
    ) -> Option<Self> {
        let token = parameter(TOKEN)?;
        let others = SELECTORS.into_iter().chain([LIMIT]);
        Some(Self {
            path: path.to_owned(),
            query: others.filter_map(parameter).chain([token]).collect(),
        })
    }

    fn get(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The versions of the token and of a negotiated request, if only these differ.
    fn other_version(&self, request: &HttpRequest) -> Option<(&'static str, &'static str)> {
        let version_of = |path: &str| {
            let mut versions = ApiVersion::ALL.iter().map(|version| version.as_str());
            versions.find(|version| in_version(&request.path, version) == path)
        };
        request.is_negotiated.then_some(())?;
        Some((version_of(&self.path)?, version_of(&request.path)?))
    }

    /// Turns a request for a list into the request for the page.
    /// Errors: for a request for other objects, and for one whose negotiated version has changed.
    pub(crate) fn resume(&self, request: &mut HttpRequest) -> Result<(), Error> {
        if request.path != self.path {
            if let Some((from, to)) = self.other_version(request) {
                return Err(Error::new(ErrorKind::VersionChanged { from, to }));
            }
            return Err(Error::argument(format!(
                "the page token is for a list of {}, not of {}",
                self.path, request.path
            )));
        }
        for name in SELECTORS {
            let value = self.get(name).unwrap_or_default();
            if let Some(other) = request.get(name).filter(|other| *other != value) {
                return Err(Error::argument(format!(
                    "the page token is for a list with the {name} `{value}`, not `{other}`"
                )));
            }
        }
        for (name, value) in &self.query {
            if *name != LIMIT || request.get(LIMIT).is_none() {
                request.set(name, value);
            }
        }
        // The token implies the resource version.
        request.unset("resourceVersion");
        request.unset("resourceVersionMatch");
        Ok(())
    }
}

/// The path and query of the request.
impl fmt::Display for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut query = Query::new(String::new());
        query.extend_pairs(&self.query);
        write!(f, "{}?{}", self.path, query.finish())
    }
}

impl FromStr for PageToken {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (path, query) = text.split_once('?').unwrap_or_default();
        let parameter = |name| {
            let found = parse(query.as_bytes()).find(|(known, _)| known == name);
            found.map(|(_, value)| (name, value.into_owned()))
        };
        Self::new(path, parameter).ok_or_else(|| {
            Error::argument(format!(
                "`{}` is not a page token: expected a path, `?` and a query with `{TOKEN}`",
                text.escape_debug()
            ))
        })
    }
}

impl Serialize for PageToken {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PageToken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}
