//! Recipes that a configuration does not allow.

use std::fmt;

/// A wish that a configuration cannot fulfil.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecipeError {
    /// Exempt flow schemas match all requests of the proof, so a recipe cannot change their level.
    Exempt {
        /// The flow schemas, sorted.
        flow_schemas: Vec<String>,
    },
    /// A flow schema that may take requests of the client has the lowest precedence that is possible.
    NoPrecedence {
        /// The flow schema.
        flow_schema: String,
    },
    /// The server cannot guarantee so many seats to one level.
    TooManySeats {
        /// The seats of the server.
        server: u32,
        /// The wanted seats.
        wanted: i64,
    },
    /// A level gets more seats than wanted even with a single share.
    TooFewSeats {
        /// The seats of the client's level with one share.
        least: i64,
        /// The wanted seats.
        wanted: i64,
    },
    /// A limit that is not less than the seats of the server: the level would take the seats of all others.
    NoLimit {
        /// The seats of the server.
        server: u32,
        /// The wanted seats.
        wanted: i64,
    },
    /// A path with a query, which flow schemas do not match.
    Query {
        /// The path.
        path: String,
    },
    /// The path of a request for resources, which other rules match.
    ResourcePath {
        /// The path.
        path: String,
    },
    /// A client's name without ASCII letters and digits, from which no name of objects can be made.
    NoName {
        /// The name of the client.
        client: String,
    },
    /// The objects would be invalid.
    Invalid(String),
    /// Other flow schemas take all requests of the proof.
    NoEffect,
}

impl RecipeError {
    /// Whether the configuration cannot fulfil a wish that is valid in itself. Otherwise an argument is wrong.
    pub const fn is_unfulfillable(&self) -> bool {
        !matches!(
            self,
            Self::Query { .. } | Self::ResourcePath { .. } | Self::NoName { .. } | Self::Invalid(_)
        )
    }
}

impl fmt::Display for RecipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exempt { flow_schemas } => match &flow_schemas[..] {
                [one] => write!(f, "the flow schema {one} exempts these requests already"),
                several => write!(
                    f,
                    "the flow schemas {} exempt these requests already",
                    several.join(", ")
                ),
            },
            Self::NoPrecedence { flow_schema } => write!(
                f,
                "the flow schema {flow_schema} can take requests of the client, and no precedence comes before its own"
            ),
            Self::TooManySeats { server, wanted } => {
                write!(
                    f,
                    "a server of {server} seats cannot guarantee {wanted} seats"
                )
            }
            Self::TooFewSeats { least, wanted } => write!(
                f,
                "with a single share the level would have {least} seats beside the other levels, more than {wanted}"
            ),
            Self::NoLimit { server, wanted } => write!(
                f,
                "a limit of {wanted} seats has no effect on a server of {server} seats, and the level would take the seats of all others"
            ),
            Self::Query { path } => {
                let (before, _) = path.split_once('?').unwrap_or((path, ""));
                write!(
                    f,
                    "flow schemas match paths without a query: `{before}`, not `{path}`"
                )
            }
            Self::ResourcePath { path } => write!(
                f,
                "`{path}` is a path of resources, which rules for non-resource requests do not match"
            ),
            Self::NoName { client } => write!(
                f,
                "`{client}` has no ASCII letter or digit, of which the name of an object could be made"
            ),
            Self::Invalid(violation) => write!(f, "the object would be invalid: {violation}"),
            Self::NoEffect => f.write_str("the flow schema would not match any of these requests"),
        }
    }
}

impl std::error::Error for RecipeError {}
