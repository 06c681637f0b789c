//! serde's formats and adapters: each keeps the documented properties. `interop/` tests the formats that need further crates.

use crate::kinds::{lists, records};
use k8s_flowcontrol_types::api::v1;
use k8s_flowcontrol_types::meta::{IntOrString, Quantity, RawJson, Time, Unknown};
use k8s_flowcontrol_types::{List, json};
use serde::de::DeserializeOwned;
use serde::de::value::{Error as ValueError, MapDeserializer, SeqDeserializer};
use serde::{Deserialize, Serialize};
use std::fmt::Display;

fn text(error: impl Display) -> String {
    error.to_string()
}

#[derive(Serialize, Deserialize)]
struct Flattened<T> {
    beside: u8,
    #[serde(flatten)]
    value: T,
}

/// Writes and reads a value with the format that a row of the table names.
fn there_and_back<T: Serialize + DeserializeOwned + json::ReadJson + json::WriteJson>(
    format: &str,
    value: &T,
) -> Result<T, String> {
    match format {
        "this module" => json::from_str(&json::to_string(value)).map_err(text),
        "`serde_json`" => {
            let bytes = serde_json::to_vec(value).map_err(text)?;
            assert_eq!(bytes, json::to_vec(value));
            serde_json::from_slice(&bytes).map_err(text)
        }
        "`serde_json`, indented" => {
            let bytes = serde_json::to_vec_pretty(value).map_err(text)?;
            serde_json::from_reader(&*bytes).map_err(text)
        }
        "`serde_json::Value`" => {
            serde_json::from_value(serde_json::to_value(value).map_err(text)?).map_err(text)
        }
        "`serde_json`, flattened" => {
            let outer = Flattened { beside: 1, value };
            let written = serde_json::to_string(&outer).map_err(text)?;
            let outer: Flattened<T> = serde_json::from_str(&written).map_err(text)?;
            Ok(outer.value)
        }
        other => panic!("no format {other}"),
    }
}

/// The columns, and the rows of formats that are compiled here.
fn rows() -> Vec<Vec<&'static str>> {
    let table = include_str!("../../src/json/formats.md");
    let cells = |line: &'static str| {
        let cells = line.trim_matches('|').split('|');
        cells.map(str::trim).collect()
    };
    let rows: Vec<Vec<_>> = table.lines().map(cells).collect();
    let others = [
        "`serde-saphyr`",
        "`ciborium`",
        "`rmp-serde`",
        "`toml`",
        "`figment`",
    ];
    rows.into_iter()
        .filter(|row| !others.contains(&row[0]))
        .collect()
}

#[test]
fn each_format_keeps_what_the_table_says() {
    let rows = rows();
    let mut measured = Vec::new();
    for row in &rows[2..] {
        let mut cells = vec![row[0].to_owned()];
        for column in &rows[0][1..] {
            let value = column.trim_matches('`');
            let object = format!(r#"{{"metadata":{{"name":"a"}},"new":{value}}}"#);
            let schema: v1::FlowSchema = json::from_str(&object).unwrap();
            cells.push(match there_and_back(row[0], &schema) {
                Ok(back) => match back.unknown.get("new") {
                    Some(kept) => format!("`{kept}`"),
                    None => "nothing".to_owned(),
                },
                Err(_) => "error".to_owned(),
            });
        }
        measured.push(cells);
    }
    let lines: Vec<String> = measured.iter().map(|cells| cells.join(" | ")).collect();
    let lines = lines.join("\n");
    let documented: Vec<String> = rows[2..].iter().map(|cells| cells.join(" | ")).collect();
    assert_eq!(lines, documented.join("\n"), "{lines}");
}

#[test]
fn recorded_objects_come_back_from_every_format() {
    for row in &rows()[2..] {
        let accepted = records(include_str!("../fixtures/types/accepted.jsonl"));
        for record in accepted.iter().filter(|record| record.version == "v1") {
            let object = record.object.to_string();
            if record.kind == "FlowSchema" {
                let schema: v1::FlowSchema = json::from_str(&object).unwrap();
                assert_eq!(
                    there_and_back(row[0], &schema).as_ref(),
                    Ok(&schema),
                    "{row:?}"
                );
            }
        }
        for (name, version, kind, list) in lists() {
            if (version, kind) == ("v1", "FlowSchema") {
                let list: List<v1::FlowSchema> = json::from_str(list).unwrap();
                assert_eq!(
                    there_and_back(row[0], &list).as_ref(),
                    Ok(&list),
                    "{row:?} {name}"
                );
            }
        }
    }
}

#[test]
fn scalars_and_enums_of_a_caller() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        Level(v1::QueuingConfiguration),
        Port(IntOrString),
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "type")]
    enum Tagged {
        Subject(v1::Subject),
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Settings {
        untagged: Vec<Untagged>,
        at: Time,
        amount: Quantity,
        any: RawJson,
        schema: Option<v1::FlowSchema>,
        tagged: Tagged,
    }

    let text = r#"{
        "any": {"b": 1.5, "a": ["x", false]},
        "amount": "100m",
        "at": "2026-11-21T06:23:00Z",
        "schema": {
            "metadata": {"name": "a", "managedFields": [{"manager": "m"}]},
            "spec": {"matchingPrecedence": 7, "1": true}
        },
        "tagged": {"type": "Subject", "kind": "User", "user": {"name": "alice"}, "new": 5},
        "untagged": [{"queues": 4, "new": [1]}, "http", 80]
    }"#;
    let settings: Settings = serde_json::from_str(text).unwrap();
    let schema = settings.schema.as_ref().unwrap();
    assert_eq!(schema.spec.matching_precedence, Some(7));
    assert_eq!(schema.spec.unknown.get("1").unwrap().as_str(), "true");
    assert_eq!(schema.metadata.managed_fields.entries().unwrap().len(), 1);
    assert_eq!(settings.any.as_str(), r#"{"b":1.5,"a":["x",false]}"#);
    assert_eq!(settings.untagged[2], Untagged::Port(80.into()));
    let Untagged::Level(level) = &settings.untagged[0] else {
        panic!("{settings:?}")
    };
    assert_eq!(level.unknown.get("new").unwrap().as_str(), "[1]");
    let Tagged::Subject(subject) = &settings.tagged;
    assert_eq!(subject.unknown.get("new").unwrap().as_str(), "5");

    let written = serde_json::to_string(&settings).unwrap();
    assert_eq!(
        serde_json::from_str::<Settings>(&written).unwrap(),
        settings
    );
    assert_eq!(Unknown::default(), schema.unknown);
}

#[test]
fn an_error_names_the_field() {
    // Values of serde's own, since errors of serde_json have the line instead.
    let rule = MapDeserializer::<_, ValueError>::new([("subjects", 5)].into_iter());
    let rules = SeqDeserializer::<_, ValueError>::new([rule].into_iter());
    let spec = MapDeserializer::<_, ValueError>::new([("rules", rules)].into_iter());
    let object = MapDeserializer::<_, ValueError>::new([("spec", spec)].into_iter());
    let error = v1::FlowSchema::deserialize(object).unwrap_err().to_string();
    assert!(
        error.starts_with("spec.rules[0].subjects: invalid type: integer `5`"),
        "{error}"
    );
    let spec = MapDeserializer::<_, ValueError>::new([("new", f64::NAN)].into_iter());
    let object = MapDeserializer::<_, ValueError>::new([("spec", spec)].into_iter());
    let error = v1::FlowSchema::deserialize(object).unwrap_err().to_string();
    assert!(error.contains("JSON has no number `NaN`"), "{error}");
}
