//! The JSON Schema of the output, and what fits it.

use serde_json::Value;
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../schema/output.schema.json");
    serde_json::from_str(text).unwrap()
});

/// The definitions by name.
pub(crate) fn definitions() -> &'static serde_json::Map<String, Value> {
    SCHEMA["$defs"].as_object().unwrap()
}

/// The options that ask for JSON by themselves.
const JSON_LINES: [&str; 4] = [
    "match --requests",
    "cost --requests",
    "traffic --each-request",
    "simulate --scenarios",
];

/// The name of the definition for a command line; `None` if it does not ask for JSON.
///
/// # Panics
/// If a command prints JSON and does not have a definition.
pub(crate) fn name_of(arguments: &[&str]) -> Option<&'static str> {
    let has = |word: &str| {
        arguments.iter().any(|own| {
            let rest = own.strip_prefix(word);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        })
    };
    let first = |name: &'static str| name.split(' ').next().unwrap_or_default();
    let names = || definitions().keys().map(String::as_str);
    // Options of a cluster may come before the command.
    let command = arguments
        .iter()
        .find(|word| names().any(|name| first(name) == **word))?;
    let fitting = names().filter(|name| first(name) == *command && name.split(' ').all(has));
    let best = fitting.max_by_key(|name| name.split(' ').count());
    let pairs = arguments.windows(2);
    let is_json = has("-ojson")
        || has("--output=json")
        || pairs
            .clone()
            .any(|pair| ["-o", "--output"].contains(&pair[0]) && pair[1] == "json");
    match best {
        Some(name) if is_json || JSON_LINES.contains(&name) => Some(name),
        None if is_json => unreachable!("{arguments:?} prints JSON without a definition"),
        _ => None,
    }
}

/// Every value of an output, which can be reports, lines and lists. Returns the values that fit the definition.
///
/// # Panics
/// If a value does not fit.
pub(crate) fn check(name: &str, output: &[u8]) -> Vec<Value> {
    let values = serde_json::Deserializer::from_slice(output).into_iter::<Value>();
    let mut all = Vec::new();
    for value in values {
        let value = value.unwrap_or_else(|error| {
            let text = String::from_utf8_lossy(output);
            unreachable!("{name}: {error}: {text}")
        });
        match value {
            Value::Array(elements) => all.extend(elements),
            value => all.push(value),
        }
    }
    for value in &all {
        fits(value, &definitions()[name], name);
    }
    all
}

/// Fails unless a value fits a schema. Fields that the schema does not have are errors, so that it stays complete.
fn fits(value: &Value, schema: &Value, path: &str) {
    if let Some(problem) = problem(value, schema, path) {
        unreachable!("{problem}");
    }
}

fn problem(value: &Value, schema: &Value, path: &str) -> Option<String> {
    let mut problems = schema
        .as_object()
        .unwrap()
        .iter()
        .filter_map(|(keyword, rule)| of_keyword(value, keyword, rule, schema, path));
    problems.next()
}

/// Whether a value has a type by its name.
fn is(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => unreachable!("{name} is not a type"),
    }
}

fn of_keyword(
    value: &Value,
    keyword: &str,
    rule: &Value,
    schema: &Value,
    path: &str,
) -> Option<String> {
    let wrong = |is_right: bool| (!is_right).then(|| format!("{path}: {value} against {rule}"));
    let names = || rule.as_array().into_iter().flatten();
    match keyword {
        "title" | "description" => None,
        "$ref" => {
            let name = rule.as_str()?.strip_prefix("#/$defs/")?;
            let found = definitions().get(name);
            problem(
                value,
                found.unwrap_or_else(|| unreachable!("no {name}")),
                path,
            )
        }
        "anyOf" => {
            let found: Vec<_> = names().map(|one| problem(value, one, path)).collect();
            match found.iter().any(Option::is_none) {
                true => None,
                false => found.into_iter().flatten().next(),
            }
        }
        "const" => wrong(value == rule),
        "enum" => wrong(names().any(|one| one == value)),
        "type" => match rule.as_str() {
            Some(name) => wrong(is(value, name)),
            None => wrong(names().any(|name| is(value, name.as_str().unwrap_or_default()))),
        },
        "minimum" => wrong(value.as_f64() >= rule.as_f64() || value.is_null()),
        "minItems" => wrong(
            value
                .as_array()
                .is_none_or(|all| all.len() as u64 >= rule.as_u64().unwrap_or(0)),
        ),
        "maxItems" => wrong(
            value
                .as_array()
                .is_none_or(|all| all.len() as u64 <= rule.as_u64().unwrap_or(0)),
        ),
        "format" if rule == "date-time" => {
            let is_time =
                |text: &str| text.len() >= 20 && text.ends_with('Z') && text.as_bytes()[10] == b'T';
            wrong(value.as_str().is_none_or(is_time))
        }
        "items" => value
            .as_array()
            .into_iter()
            .flatten()
            .find_map(|item| problem(item, rule, &format!("{path}[]"))),
        "required" => names().find_map(|name| {
            let has = value.as_object()?.contains_key(name.as_str()?);
            (!has).then(|| format!("{path} has no {name}: {value}"))
        }),
        "properties" => value
            .as_object()?
            .iter()
            .find_map(|(name, field)| match rule.get(name) {
                Some(schema) => problem(field, schema, &format!("{path}.{name}")),
                None => Some(format!("{path}.{name} is not in the schema: {field}")),
            }),
        "additionalProperties" => {
            assert!(
                schema.get("properties").is_none(),
                "{path}: fields or a map"
            );
            value
                .as_object()?
                .iter()
                .find_map(|(name, field)| problem(field, rule, &format!("{path}.{name}")))
        }
        _ => unreachable!("the check does not know {keyword}, in {path}"),
    }
}
