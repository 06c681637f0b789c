//! The conversion of a patched tree into Go's structs, without JSON in between.
//!
//! A strategic merge patch takes this way. It accepts integers that are written with a fraction or an exponent, cuts them to
//! the size of their field, and has its own messages.

use crate::kinds::Version;
use k8s_flowcontrol_types::schema::{FieldSchema, Shape, TypeSchema};
use serde_json::Value;

/// Converts the numbers of an object of `version` as Go does.
/// Errors: Go's message for a value of another type than its field.
pub(crate) fn convert(object: &mut Value, version: Version) -> Result<(), String> {
    let package = version.name();
    Converter { package }.fields(object, version.schema())
}

struct Converter {
    /// The Go package of the types without one.
    package: &'static str,
}

impl Converter {
    fn fields(&self, object: &mut Value, schema: &TypeSchema) -> Result<(), String> {
        for field in schema.fields() {
            if let Some(value) = object.get_mut(field.name) {
                self.value(value, Some(field), &field.shape)?;
            }
        }
        Ok(())
    }

    fn value(
        &self,
        value: &mut Value,
        field: Option<&FieldSchema>,
        shape: &Shape,
    ) -> Result<(), String> {
        if value.is_null() {
            return Ok(());
        }
        let found = kind(value);
        match shape {
            // These have a separate decoder, which reads JSON.
            Shape::Time | Shape::MicroTime | Shape::IntOrString | Shape::Quantity | Shape::Any => {}
            Shape::String | Shape::Bytes if value.is_string() => {}
            Shape::Bytes => return Err(format!("cannot restore slice from {found}")),
            Shape::String if found == "int64" => {
                let name = self.type_name(field);
                return Err(format!("cannot convert int64 to {name}"));
            }
            Shape::String => return Err("unrecognized type: string".into()),
            Shape::Boolean if value.is_boolean() => {}
            Shape::Boolean => return Err("unrecognized type: bool".into()),
            Shape::Number if value.is_number() => {}
            Shape::Number => return Err("unrecognized type: float64".into()),
            Shape::Int32 => *value = i64::from(integer(value, "int32")? as i32).into(),
            Shape::Int64 => *value = integer(value, "int64")?.into(),
            Shape::Object(schema) if value.is_object() => self.fields(value, schema)?,
            Shape::Object(_) => return Err(format!("cannot restore struct from: {found}")),
            Shape::Map { value: shape, .. } => match value {
                Value::Object(entries) => {
                    for entry in entries.values_mut() {
                        self.value(entry, None, shape)?;
                    }
                }
                _ => return Err(format!("cannot restore map from {found}")),
            },
            Shape::List { element: shape, .. } => match value {
                Value::Array(elements) => {
                    for element in elements {
                        self.value(element, None, shape)?;
                    }
                }
                _ => return Err(format!("cannot restore slice from {found}")),
            },
        }
        Ok(())
    }

    /// The Go type of a string.
    fn type_name(&self, field: Option<&FieldSchema>) -> String {
        match field.and_then(|field| field.go_type) {
            None => "string".into(),
            Some(name) if name.contains('.') => name.into(),
            Some(name) => format!("{}.{name}", self.package),
        }
    }
}

/// An integer, also if it is written with a fraction of zero.
fn integer(value: &Value, expected: &str) -> Result<i64, String> {
    if let Some(number) = value.as_i64() {
        return Ok(number);
    }
    let Some(number) = value.as_f64() else {
        return Err(format!("unrecognized type: {expected}"));
    };
    if number.fract() != 0.0 {
        return Err(format!("cannot convert float64 to {expected}"));
    }
    // The processor's result for a number that does not fit.
    let fits = (-(2.0_f64.powi(63))..2.0_f64.powi(63)).contains(&number);
    Ok(if fits { number as i64 } else { i64::MIN })
}

/// Go's name for the type of a value: numbers that do not fit into 64 bits with a sign are floating-point numbers.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
    }
}
