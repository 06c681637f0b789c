//! The rules for every document, which the README of the crate explains.

use k8s_flowcontrol_specs::{ALL, Document};
use serde_json::Value;

/// The document, or null if it is not JSON; a separate test reports that.
fn parse(document: &Document) -> Value {
    serde_json::from_str(document.text).unwrap_or_default()
}

fn versions() -> impl Iterator<Item = (Document, Value)> {
    ALL.into_iter()
        .filter(|document| document.version != "meta")
        .map(|document| (document, parse(&document)))
}

/// Calls `visit` with every value of the document and the JSON pointer to it.
fn walk(value: &Value, pointer: &str, visit: &mut impl FnMut(&str, &Value)) {
    visit(pointer, value);
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                walk(member, &format!("{pointer}/{name}"), visit);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, &format!("{pointer}/{index}"), visit);
            }
        }
        _ => {}
    }
}

/// Collects a complaint from `check` about every value of every document.
fn complaints(mut check: impl FnMut(&str, &Value) -> Option<String>) -> Vec<String> {
    let mut found = Vec::new();
    for document in ALL {
        walk(&parse(&document), "", &mut |pointer, value| {
            if let Some(complaint) = check(pointer, value) {
                found.push(format!("{}#{pointer}: {complaint}", document.file_name));
            }
        });
    }
    found
}

fn assert_none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

fn is_in(section: &str, pointer: &str) -> bool {
    pointer
        .rsplit_once('/')
        .is_some_and(|(parent, _)| parent.ends_with(section))
}

/// Whether the value must have a description, as schemas, fields and other components must.
fn is_described(pointer: &str) -> bool {
    [
        "/components/schemas",
        "/components/parameters",
        "/components/responses",
        "/components/requestBodies",
        "/properties",
    ]
    .iter()
    .any(|section| is_in(section, pointer))
}

#[test]
fn every_document_is_json() {
    for document in ALL {
        if let Err(error) = serde_json::from_str::<Value>(document.text) {
            panic!("{}: {error}", document.file_name);
        }
    }
}

#[test]
fn file_names_follow_the_versions() {
    for document in ALL {
        assert_eq!(document.file_name, format!("{}.json", document.version));
    }
}

#[test]
fn every_reference_leads_somewhere() {
    for document in ALL {
        let root = parse(&document);
        walk(&root, "", &mut |pointer, value| {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else {
                return;
            };
            let (file, target) = reference
                .split_once('#')
                .expect("a reference has a fragment");
            let found = if file.is_empty() {
                root.pointer(target).is_some()
            } else {
                let other = ALL.iter().find(|other| other.file_name == file);
                other.is_some_and(|other| parse(other).pointer(target).is_some())
            };
            assert!(found, "{}#{pointer}: {reference}", document.file_name);
        });
    }
}

#[test]
fn a_reference_stands_alone() {
    assert_none(complaints(|_, value| {
        let members = value.as_object()?;
        (members.contains_key("$ref") && members.len() > 1)
            .then(|| "members beside $ref are ignored".to_owned())
    }));
}

#[test]
fn every_enum_names_its_type() {
    assert_none(complaints(|_, value| {
        value.get("enum")?.as_array()?;
        let title = value
            .get("title")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let named =
            title.starts_with(char::is_uppercase) && title.chars().all(char::is_alphanumeric);
        (!named).then(|| format!("enum with title {title:?}"))
    }));
}

#[test]
fn everything_is_described() {
    assert_none(complaints(|pointer, value| {
        let described = is_described(pointer) || value.get("operationId").is_some();
        let description = value
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        (described && description.trim().is_empty()).then(|| "no description".to_owned())
    }));
}

#[test]
fn descriptions_suit_rustdoc() {
    assert_none(complaints(|pointer, value| {
        let text = value
            .as_str()
            .filter(|_| pointer.ends_with("/description"))?;
        let prose: String = text.split('`').step_by(2).collect();
        let link = prose.match_indices("://").any(|(at, _)| {
            let start = prose[..at]
                .rfind(char::is_whitespace)
                .map_or(0, |space| space + 1);
            !prose[start..].starts_with('<')
        });
        let complaint = if text.matches('`').count() % 2 == 1 {
            "unbalanced backtick"
        } else if link {
            "bare link"
        } else if prose.contains(['[', ']']) {
            "bracket, which rustdoc takes for a link"
        } else if prose.replace("<http", "").contains('<') {
            "angle bracket, which rustdoc takes for HTML"
        } else if text.trim() != text || !text.ends_with(['.', ':']) {
            "not a sentence"
        } else {
            return None;
        };
        Some(complaint.to_owned())
    }));
}

#[test]
fn every_version_has_its_25_operations() {
    for (document, root) in versions() {
        let prefix = format!("/apis/flowcontrol.apiserver.k8s.io/{}/", document.version);
        let mut operations = Vec::new();
        for (path, item) in root["paths"].as_object().unwrap() {
            assert!(path.starts_with(&prefix), "{path}");
            operations.extend(
                item.as_object()
                    .unwrap()
                    .values()
                    .filter_map(|operation| operation.get("operationId")),
            );
        }
        assert_eq!(operations.len(), 25, "{}", document.file_name);
        operations.sort_by_key(|id| id.as_str());
        operations.dedup();
        assert_eq!(
            operations.len(),
            25,
            "{}: an operationId is used twice",
            document.file_name
        );
    }
}

#[test]
fn every_version_says_when_it_was_served() {
    for (document, root) in versions() {
        let served = &root["info"]["x-kubernetes-served-in"];
        assert!(served["first"].is_string(), "{}", document.file_name);
        assert_eq!(
            served["last"].is_null(),
            document.version == "v1",
            "{}",
            document.file_name
        );
    }
}

#[test]
fn defaults_are_within_bounds() {
    assert_none(complaints(|_, value| {
        let default = value.get("default")?.as_i64()?;
        let at_least = value
            .get("minimum")
            .and_then(Value::as_i64)
            .unwrap_or(i64::MIN);
        let at_most = value
            .get("maximum")
            .and_then(Value::as_i64)
            .unwrap_or(i64::MAX);
        (!(at_least..=at_most).contains(&default))
            .then(|| format!("default {default} is out of bounds"))
    }));
}

/// A type that contradicts the shape of its field is stale.
#[test]
fn go_types_fit_their_fields() {
    let mut found = 0;
    for document in ALL {
        walk(&parse(&document), "", &mut |pointer, field| {
            let Some(go_type) = field.get("x-go-type") else {
                return;
            };
            found += 1;
            let go_type = go_type.as_str().expect("a string");
            let target = go_type.trim_start_matches('*');
            let reference = field["allOf"][0]["$ref"]
                .as_str()
                .or(field["$ref"].as_str());
            let fits = match (field["type"].as_str(), reference) {
                (Some("integer"), _) => Some(target) == field["format"].as_str(),
                (Some("boolean"), _) => target == "bool",
                // Strings with a name are not pointers.
                (Some("string"), _) if field.get("format").is_none() => target == go_type,
                (Some("string"), _) => target == "v1.Time",
                (_, Some(reference)) => {
                    let name = target.rsplit('.').next().unwrap_or(target);
                    reference.ends_with(&format!(".{name}"))
                }
                _ => target == "v1.FieldsV1",
            };
            assert!(fits, "{}{pointer}: {go_type}", document.file_name);
        });
    }
    assert!(found > 50, "{found}");
}
