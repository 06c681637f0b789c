//! The messages of gnostic's `openapi.v2.Document`: the numbers of their fields.

use Type::{Any, Double, Elements, Integer, List, OneOf, Switch, Text};
use serde_json::Value;

/// The name in JSON, the number, and the type.
type Field = (&'static str, u64, Type);

/// A field of a `oneof`: its condition, the number, and the type.
type Alternative = (fn(&Value) -> bool, u64, Type);

pub(super) struct Message {
    pub(super) fields: &'static [Field],
    /// The number of the extensions, whose names start with `x-`.
    pub(super) extensions: Option<u64>,
    /// All other names, in a message that is a map: the number, and the type of the values.
    pub(super) entries: Option<(u64, Type)>,
}

pub(super) enum Type {
    Text,
    Switch,
    Integer,
    Double,
    /// JSON, which is written as YAML.
    Any,
    List(&'static Type),
    /// A value or a list of values, in its own message.
    Elements(&'static Type),
    Message(&'static Message),
    /// A message with a `oneof`: it has the first field whose condition is true.
    OneOf(&'static [Alternative]),
}

impl Message {
    const fn plain(fields: &'static [Field], extensions: u64) -> Self {
        Self {
            fields,
            extensions: Some(extensions),
            entries: None,
        }
    }

    const fn map(number: u64, values: Type) -> Self {
        Self {
            fields: &[],
            extensions: None,
            entries: Some((number, values)),
        }
    }
}

pub(super) static DOCUMENT: Message = Message::plain(
    &[
        ("swagger", 1, Text),
        ("info", 2, Type::Message(&INFO)),
        ("paths", 8, Type::Message(&PATHS)),
        ("definitions", 9, Type::Message(&SCHEMAS)),
        ("parameters", 10, Type::Message(&PARAMETERS)),
        ("security", 12, List(&Type::Message(&SECURITY))),
        ("securityDefinitions", 13, Type::Message(&SCHEMES)),
    ],
    16,
);

static INFO: Message = Message::plain(
    &[
        ("title", 1, Text),
        ("version", 2, Text),
        ("description", 3, Text),
    ],
    7,
);

static PATHS: Message = Message {
    fields: &[],
    extensions: Some(1),
    entries: Some((2, Type::Message(&PATH))),
};

static PATH: Message = Message::plain(
    &[
        ("get", 2, Type::Message(&OPERATION)),
        ("put", 3, Type::Message(&OPERATION)),
        ("post", 4, Type::Message(&OPERATION)),
        ("delete", 5, Type::Message(&OPERATION)),
        ("options", 6, Type::Message(&OPERATION)),
        ("head", 7, Type::Message(&OPERATION)),
        ("patch", 8, Type::Message(&OPERATION)),
        ("parameters", 9, List(&PARAMETER_OR_REFERENCE)),
    ],
    10,
);

static OPERATION: Message = Message::plain(
    &[
        ("tags", 1, List(&Text)),
        ("summary", 2, Text),
        ("description", 3, Text),
        ("operationId", 5, Text),
        ("produces", 6, List(&Text)),
        ("consumes", 7, List(&Text)),
        ("parameters", 8, List(&PARAMETER_OR_REFERENCE)),
        ("responses", 9, Type::Message(&RESPONSES)),
        ("schemes", 10, List(&Text)),
        ("deprecated", 11, Switch),
    ],
    13,
);

static PARAMETERS: Message = Message::map(1, PARAMETER);

static PARAMETER_OR_REFERENCE: Type = OneOf(&[
    (is_reference, 2, Type::Message(&REFERENCE)),
    (always, 1, PARAMETER),
]);

static REFERENCE: Message = Message {
    fields: &[("$ref", 1, Text), ("description", 2, Text)],
    extensions: None,
    entries: None,
};

const PARAMETER: Type = OneOf(&PARAMETERS_BY_PLACE);

// Statics, since a constant of Rust 1.88 cannot borrow a list that refers to statics.
static PARAMETERS_BY_PLACE: [Alternative; 2] = [
    (|it| it["in"] == "body", 1, Type::Message(&BODY)),
    (always, 2, OneOf(&PARAMETERS_WITHOUT_BODY)),
];

static PARAMETERS_WITHOUT_BODY: [Alternative; 2] = [
    (|it| it["in"] == "query", 3, Type::Message(&IN_QUERY)),
    (|it| it["in"] == "path", 4, Type::Message(&IN_PATH)),
];

static BODY: Message = Message::plain(
    &[
        ("description", 1, Text),
        ("name", 2, Text),
        ("in", 3, Text),
        ("required", 4, Switch),
        ("schema", 5, Type::Message(&SCHEMA)),
    ],
    6,
);

static IN_QUERY: Message = Message::plain(
    &[
        ("required", 1, Switch),
        ("in", 2, Text),
        ("description", 3, Text),
        ("name", 4, Text),
        ("type", 6, Text),
        ("format", 7, Text),
        ("uniqueItems", 20, Switch),
        ("enum", 21, List(&Any)),
    ],
    23,
);

static IN_PATH: Message = Message::plain(
    &[
        ("required", 1, Switch),
        ("in", 2, Text),
        ("description", 3, Text),
        ("name", 4, Text),
        ("type", 5, Text),
        ("format", 6, Text),
        ("uniqueItems", 19, Switch),
        ("enum", 20, List(&Any)),
    ],
    22,
);

static RESPONSES: Message = Message {
    fields: &[],
    extensions: Some(2),
    entries: Some((1, OneOf(&[(always, 1, Type::Message(&RESPONSE))]))),
};

static RESPONSE: Message = Message::plain(
    &[
        ("description", 1, Text),
        ("schema", 2, OneOf(&[(always, 1, Type::Message(&SCHEMA))])),
    ],
    5,
);

static SCHEMAS: Message = Message::map(1, Type::Message(&SCHEMA));

static SCHEMA: Message = Message::plain(
    &[
        ("$ref", 1, Text),
        ("format", 2, Text),
        ("title", 3, Text),
        ("description", 4, Text),
        ("default", 5, Any),
        ("multipleOf", 6, Double),
        ("maximum", 7, Double),
        ("exclusiveMaximum", 8, Switch),
        ("minimum", 9, Double),
        ("exclusiveMinimum", 10, Switch),
        ("maxLength", 11, Integer),
        ("minLength", 12, Integer),
        ("pattern", 13, Text),
        ("maxItems", 14, Integer),
        ("minItems", 15, Integer),
        ("uniqueItems", 16, Switch),
        ("maxProperties", 17, Integer),
        ("minProperties", 18, Integer),
        ("required", 19, List(&Text)),
        ("enum", 20, List(&Any)),
        (
            "additionalProperties",
            21,
            OneOf(&[
                (Value::is_boolean, 2, Switch),
                (always, 1, Type::Message(&SCHEMA)),
            ]),
        ),
        ("type", 22, Elements(&Text)),
        ("items", 23, Elements(&Type::Message(&SCHEMA))),
        ("allOf", 24, List(&Type::Message(&SCHEMA))),
        ("properties", 25, Type::Message(&SCHEMAS)),
        ("readOnly", 27, Switch),
    ],
    31,
);

static SECURITY: Message = Message::map(1, Elements(&Text));

static SCHEMES: Message = Message::map(1, OneOf(&[(always, 2, Type::Message(&API_KEY))]));

static API_KEY: Message = Message::plain(
    &[
        ("type", 1, Text),
        ("name", 2, Text),
        ("in", 3, Text),
        ("description", 4, Text),
    ],
    5,
);

fn always(_: &Value) -> bool {
    true
}

fn is_reference(value: &Value) -> bool {
    value.get("$ref").is_some()
}
