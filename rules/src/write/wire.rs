//! The fields that Go writes in the JSON of an object, and their empty values.

use k8s_flowcontrol_types::order;
use k8s_flowcontrol_types::schema::{FieldSchema, Shape, TypeSchema};
use serde_json::{Map, Value};

/// `value` with exactly the fields that a server writes. An empty field is left out, or is `null`, `0`, `""` or `{}`
/// where Go writes it anyway.
///
/// Two objects are equal for a server when their canonical forms are equal.
///
/// ```
/// use k8s_flowcontrol_rules::wire::canonical;
/// use k8s_flowcontrol_types::{ApiVersion, Kind};
/// use serde_json::json;
///
/// let schema = Kind::FlowSchema.schema(ApiVersion::V1).schema;
/// let object = json!({"metadata": {"labels": {}}, "spec": {"rules": null, "priorityLevelConfiguration": {"name": "a"}}});
/// let spec = &canonical(&object, schema)["spec"];
/// assert_eq!(*spec, json!({"priorityLevelConfiguration": {"name": "a"}, "matchingPrecedence": 0}));
/// ```
pub fn canonical(value: &Value, schema: &TypeSchema) -> Value {
    let mut value = value.clone();
    make_canonical(&mut value, schema);
    value
}

/// Changes `value` into its [`canonical`] form, without a copy.
pub fn make_canonical(value: &mut Value, schema: &TypeSchema) {
    fields(value, schema, EmptyLists::Nil);
}

/// Changes `value` into what Go decodes: like [`make_canonical`], but an empty list differs from an absent one.
pub fn make_in_memory(value: &mut Value, schema: &TypeSchema) {
    fields(value, schema, EmptyLists::Kept);
}

/// `value` as a server keeps an object of a custom resource: every value that the schema has, also an empty one, and `null` only
/// where it is nullable. An integral number is an integer. The metadata is as [`canonical`] writes it.
pub fn structural(value: &Value, schema: &TypeSchema) -> Value {
    let mut kept = structural_fields(value, schema);
    if let (Some(kept), Some(field)) = (kept.as_object_mut(), schema.field("metadata")) {
        if let Some(metadata) = value.get("metadata") {
            let mut metadata = metadata.clone();
            canonical_element(&mut metadata, &field.shape, EmptyLists::Nil);
            kept.insert("metadata".to_owned(), metadata);
        } else {
            canonical_field(kept, field, EmptyLists::Nil);
        }
    }
    kept
}

fn structural_fields(value: &Value, schema: &TypeSchema) -> Value {
    let Value::Object(fields) = value else {
        return Value::Object(Map::new());
    };
    let keep = |(name, value): (&String, &Value)| {
        let kept = match schema.field(name) {
            Some(field) if value.is_null() => field.nullable.then_some(Value::Null)?,
            Some(field) => structural_value(value, &field.shape),
            None if schema.preserves_unknown_fields => with_integers(value),
            None => return None,
        };
        Some((name.clone(), kept))
    };
    order::object(&mut fields.iter().filter_map(keep))
}

fn structural_value(value: &Value, shape: &Shape) -> Value {
    match (shape, value) {
        (Shape::Object(schema), Value::Object(_)) => structural_fields(value, schema),
        (Shape::List { element, .. }, Value::Array(elements)) => elements
            .iter()
            .map(|value| structural_value(value, element))
            .collect(),
        (Shape::Map { value: shape, .. }, Value::Object(entries)) => {
            let entries = entries.iter();
            order::object(
                &mut entries.map(|(key, value)| (key.clone(), structural_value(value, shape))),
            )
        }
        _ => with_integers(value),
    }
}

/// The same value, in which `1.0` is `1`.
fn with_integers(value: &Value) -> Value {
    /// The integers up to here have one floating-point number each.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) if !number.is_i64() && !number.is_u64() => {
            let float = number.as_f64();
            let integral = float.filter(|float| float.fract() == 0.0 && float.abs() < EXACT);
            integral.map_or_else(|| value.clone(), |float| (float as i64).into())
        }
        Value::Array(elements) => elements.iter().map(with_integers).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            order::object(&mut fields.map(|(name, value)| (name.clone(), with_integers(value))))
        }
        value => value.clone(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EmptyLists {
    Nil,
    Kept,
}

fn fields(value: &mut Value, schema: &TypeSchema, lists: EmptyLists) {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    let Value::Object(object) = value else { return };
    if !schema.preserves_unknown_fields {
        object.retain(|name, _| schema.field(name).is_some());
    }
    for field in schema.fields() {
        canonical_field(object, field, lists);
    }
}

fn canonical_field(object: &mut Map<String, Value>, field: &FieldSchema, lists: EmptyLists) {
    let found = object.get_mut(field.name);
    if let Some(value) = found.filter(|value| !value.is_null()) {
        canonical_value(value, &field.shape, lists);
        if (lists == EmptyLists::Kept && value.is_array()) || !is_left_out(value, field) {
            return;
        }
    }
    match field.always_emitted {
        true => object.insert(field.name.into(), zero(&field.shape)),
        false => object.remove(field.name),
    };
}

fn is_left_out(value: &Value, field: &FieldSchema) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Object(fields) => {
            fields.is_empty() && matches!(field.shape, Shape::Map { .. } | Shape::Any)
        }
        Value::Bool(set) => !set && is_plain(field),
        Value::Number(number) => number.as_i64() == Some(0) && is_plain(field),
    }
}

/// Whether an optional integer or boolean is not a pointer in Go. In documents from elsewhere all of them are pointers.
fn is_plain(field: &FieldSchema) -> bool {
    field.go_type.is_some_and(|name| !name.starts_with('*'))
}

fn canonical_value(value: &mut Value, shape: &Shape, lists: EmptyLists) {
    match (shape, value) {
        (Shape::Object(schema), value) => fields(value, schema, lists),
        (Shape::List { element, .. }, Value::Array(elements)) => {
            for value in elements {
                canonical_element(value, element, lists);
            }
        }
        (Shape::Map { value: shape, .. }, Value::Object(entries)) => {
            for value in entries.values_mut() {
                canonical_element(value, shape, lists);
            }
        }
        _ => {}
    }
}

/// An element is always written; `null` becomes its zero value.
fn canonical_element(value: &mut Value, shape: &Shape, lists: EmptyLists) {
    if value.is_null() {
        *value = zero(shape);
    } else {
        canonical_value(value, shape, lists);
    }
}

/// Go's JSON of a zero value.
pub fn zero(shape: &Shape) -> Value {
    match shape {
        Shape::String | Shape::Bytes | Shape::Quantity => "".into(),
        Shape::Int32 | Shape::Int64 | Shape::Number | Shape::IntOrString => 0.into(),
        Shape::Boolean => false.into(),
        Shape::Object(schema) => canonical(&Value::Null, schema),
        Shape::Time | Shape::MicroTime | Shape::Any | Shape::List { .. } | Shape::Map { .. } => {
            Value::Null
        }
    }
}
