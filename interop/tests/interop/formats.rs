//! serde's formats that the tests of the types do not compile: each keeps the documented properties.

use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::meta::{IntOrString, Quantity, RawJson, Time, Unknown};
use k8s_flowcontrol::{List, json};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Display;

fn text(error: impl Display) -> String {
    error.to_string()
}

/// Writes and reads a value with the format that a row of the table names.
fn there_and_back<T: Serialize + DeserializeOwned>(format: &str, value: &T) -> Result<T, String> {
    match format {
        "`serde-saphyr`" => {
            serde_saphyr::from_str(&serde_saphyr::to_string(value).map_err(text)?).map_err(text)
        }
        "`ciborium`" => {
            let mut bytes = Vec::new();
            ciborium::into_writer(value, &mut bytes).map_err(text)?;
            ciborium::from_reader(&*bytes).map_err(text)
        }
        "`rmp-serde`" => {
            rmp_serde::from_slice(&rmp_serde::to_vec(value).map_err(text)?).map_err(text)
        }
        "`toml`" => toml::from_str(&toml::to_string(value).map_err(text)?).map_err(text),
        "`figment`" => {
            let defaults = figment::providers::Serialized::defaults(value);
            figment::Figment::from(defaults).extract().map_err(text)
        }
        other => panic!("no format {other}"),
    }
}

/// The columns, and the rows of other crates.
fn rows() -> Vec<Vec<&'static str>> {
    let table = include_str!("../../../types/src/json/formats.md");
    let cells = |line: &'static str| {
        let cells = line.trim_matches('|').split('|');
        cells.map(str::trim).collect()
    };
    let rows: Vec<Vec<_>> = table.lines().map(cells).collect();
    rows.into_iter()
        .filter(|row| row[0] != "this module" && !row[0].starts_with("`serde_json"))
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
        let accepted = include_str!("../../../types/tests/fixtures/types/accepted.jsonl");
        for line in accepted.lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            if record["version"] == "v1" && record["kind"] == "FlowSchema" {
                let schema: v1::FlowSchema = json::from_str(&record["object"].to_string()).unwrap();
                assert_eq!(
                    there_and_back(row[0], &schema).as_ref(),
                    Ok(&schema),
                    "{row:?}"
                );
            }
        }
        let list = include_str!("../../../types/tests/fixtures/types/flowschemas-v1-1.36.json");
        let list: List<v1::FlowSchema> = json::from_str(list).unwrap();
        assert_eq!(there_and_back(row[0], &list).as_ref(), Ok(&list), "{row:?}");
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

    let text = r#"
any: {b: 1.5, a: [x, false]}
amount: 100m
at: 2026-11-21T06:23:00Z
schema: {metadata: {name: a, managedFields: [{manager: m}]}, spec: {matchingPrecedence: 7, 1: true}}
tagged: {type: Subject, kind: User, user: {name: alice}, new: 5}
untagged: [{queues: 4, new: [1]}, http, 80]
"#;
    let settings: Settings = serde_saphyr::from_str(text).unwrap();
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
    let written = serde_saphyr::to_string(&settings).unwrap();
    assert_eq!(
        serde_saphyr::from_str::<Settings>(&written).unwrap(),
        settings
    );
    let mut bytes = Vec::new();
    ciborium::into_writer(&settings, &mut bytes).unwrap();
    assert_eq!(
        ciborium::from_reader::<Settings, _>(&*bytes).unwrap(),
        settings
    );
    assert_eq!(Unknown::default(), schema.unknown);

    insta::assert_yaml_snapshot!(subject, @r"
    kind: User
    user:
      name: alice
    new: 5
    ");
}

#[test]
fn an_error_names_the_field() {
    let error = serde_saphyr::from_str::<v1::FlowSchema>("spec: {rules: [{}, {subjects: 5}]}");
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("spec.rules[1].subjects: invalid type: integer `5`"),
        "{error}"
    );
    let error = toml::from_str::<v1::FlowSchema>("[spec]\nrules = [{}, {subjects = 5}]");
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("spec.rules[1].subjects: invalid type: integer `5`"),
        "{error}"
    );
    let error = toml::from_str::<v1::FlowSchema>("[spec]\nmatchingPrecedence = nan").unwrap_err();
    assert!(
        error.to_string().contains("JSON has no number `NaN`"),
        "{error}"
    );
}
