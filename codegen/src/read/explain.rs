//! The keywords of documents that no Rust type expresses.

use super::keywords;
use super::limits;
use super::type_keyword::only_strings;
use crate::documents::{Document, Documents};
use crate::format::Format;
use crate::json::{Json, Node};
use crate::names::is_among;
use crate::unexpressed::{Outcome, Unexpressed};
use std::collections::BTreeSet;

/// Keywords that types, their names or the runtime schema express.
const EXPRESSED: &str = "\
    $ref type title description nullable required $defs definitions x-go-always-emitted x-go-type \
    x-kubernetes-embedded-resource x-kubernetes-group-version-kind x-kubernetes-int-or-string \
    x-kubernetes-introduced-in x-kubernetes-list-map-keys x-kubernetes-list-type x-kubernetes-map-type \
    x-kubernetes-patch-merge-key x-kubernetes-patch-strategy x-kubernetes-preserve-unknown-fields items \
    properties";

/// Keywords that the documentation of a field states.
pub(super) const BOUNDS: &str = "\
    minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems \
    minProperties maxProperties uniqueItems pattern";

/// The formats of strings that a server checks, without hyphens.
const FORMATS: &str = "\
    bsonobjectid byte cidr creditcard date datetime duration email hexcolor hostname ipv4 ipv6 isbn isbn10 \
    isbn13 k8slongname k8sshortname mac password rgbcolor ssn uri uuid uuid3 uuid4 uuid5";

/// Whether a server checks a format.
fn is_checked(format: &Node<'_>) -> bool {
    let name = format.json.as_str().unwrap_or_default().replace('-', "");
    is_among(FORMATS, &name)
}

/// All keywords of the schemas of the given documents that no type expresses.
pub(crate) fn unexpressed(documents: &Documents) -> BTreeSet<Unexpressed> {
    let mut found = BTreeSet::new();
    for document in documents.given() {
        let is_resource = document.format == Format::CustomResourceDefinition;
        for schema in schemas(document) {
            walk(&schema, Role::Schema, is_resource, &mut found);
        }
    }
    found
}

/// The outermost schemas of a document.
fn schemas<'a>(document: &'a Document) -> Vec<Node<'a>> {
    let root = document.root();
    match document.format {
        Format::JsonSchema => vec![root],
        Format::CustomResourceDefinition => {
            let versions = root.get("spec").and_then(|spec| spec.get("versions"));
            let versions = versions.and_then(|all| all.elements().ok());
            let schema = |version: Node<'a>| version.get("schema")?.get("openAPIV3Schema");
            let versions = versions.unwrap_or_default();
            versions.into_iter().filter_map(schema).collect()
        }
        Format::OpenApi3 | Format::Swagger2 => document
            .schema_sections()
            .iter()
            .filter_map(|section| document.find(section))
            .filter_map(|section| section.fields().ok())
            .flatten()
            .map(|(_, schema)| schema)
            .collect(),
    }
}

/// The content of a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A field or its elements, whose documentation states the bounds.
    Field,
    /// A named schema or a branch, whose own bounds no documentation states.
    Schema,
    /// The metadata of an object, for which there is one type.
    Metadata,
}

fn walk(schema: &Node<'_>, role: Role, is_resource: bool, found: &mut BTreeSet<Unexpressed>) {
    let Ok(words) = schema.fields() else {
        return;
    };
    let is_resource =
        is_resource || matches!(schema.flag("x-kubernetes-embedded-resource"), Ok(true));
    for (word, value) in words {
        match word {
            "properties" | "definitions" | "$defs" => {
                for (name, inner) in value.fields().unwrap_or_default() {
                    let role = match (word, role) {
                        (_, Role::Metadata) => Role::Metadata,
                        ("properties", _) if is_resource && name == "metadata" => Role::Metadata,
                        ("properties", _) => Role::Field,
                        _ => Role::Schema,
                    };
                    walk(&inner, role, false, found);
                }
            }
            "patternProperties" => {
                found.insert(Unexpressed::new(&value.at, Outcome::Ignored));
                for (_, inner) in value.fields().unwrap_or_default() {
                    walk(&inner, Role::Schema, false, found);
                }
            }
            "additionalProperties" if matches!(value.json, Json::Bool(false)) => {
                found.insert(Unexpressed::new(&value.at, Outcome::Validated));
            }
            "items" | "additionalProperties" => walk(&value, role, false, found),
            "allOf" | "oneOf" | "anyOf" => branches(schema, word, &value, found),
            #[cfg(feature = "validate")]
            "x-kubernetes-validations" => rules(&value, found),
            _ => {
                if let Some(outcome) = outcome(word, &value, role) {
                    let one = Unexpressed::new(&value.at, outcome);
                    found.insert(match not_validated(schema, word) {
                        Some(reason) if outcome != Outcome::Ignored => Unexpressed {
                            outcome: Outcome::Server,
                            ..one
                        }
                        .because(format!("`validate()` does not check it: {reason}")),
                        _ => one,
                    });
                }
            }
        }
    }
}

/// The branches of a schema. The type of a single branch is that of the schema.
fn branches(schema: &Node<'_>, word: &str, all: &Node<'_>, found: &mut BTreeSet<Unexpressed>) {
    let branches = all.elements().unwrap_or_default();
    let restricts = |branch: &Node<'_>| !keywords::states_type(branch.json);
    let is_type = word == "allOf"
        || branches.len() == 1
        || matches!(schema.flag("x-kubernetes-int-or-string"), Ok(true));
    if !is_type || branches.iter().all(restricts) {
        found.insert(Unexpressed::new(&all.at, Outcome::Validated));
    }
    for branch in branches.iter().filter(|branch| !restricts(branch)) {
        walk(branch, Role::Schema, false, found);
    }
}

/// The rules of a schema, each with its own outcome: whether this library can evaluate it.
#[cfg(feature = "validate")]
fn rules(rules: &Node<'_>, found: &mut BTreeSet<Unexpressed>) {
    for rule in rules.elements().unwrap_or_default() {
        let text = rule.string_of("rule").ok().flatten().unwrap_or_default();
        let reasons = k8s_flowcontrol_constraints::uncheckable(&[text]);
        found.insert(match reasons.into_iter().flatten().next() {
            None => Unexpressed::new(&rule.at, Outcome::Validated),
            Some(reason) => Unexpressed::new(&rule.at, Outcome::Server)
                .because(format!("`validate()` does not check it: {reason}")),
        });
    }
}

/// Why `validate()` does not check a pattern or a format that a server checks.
#[cfg(feature = "validate")]
fn not_validated(schema: &Node<'_>, word: &str) -> Option<String> {
    if !matches!(word, "pattern" | "format") {
        return None;
    }
    let text = schema.string_of(word).ok().flatten()?;
    let schema = serde_json::json!({ "type": "string", word: text });
    let schema = k8s_flowcontrol_constraints::Schema::new(&schema).ok()?;
    let found = schema.not_checked().into_iter().next()?;
    Some(found.reason)
}

#[cfg(not(feature = "validate"))]
fn not_validated(_: &Node<'_>, _: &str) -> Option<String> {
    None
}

/// The outcome for a keyword without schemas inside it; `None` if it is expressed, or restricts nothing.
fn outcome(word: &str, value: &Node<'_>, role: Role) -> Option<Outcome> {
    let is_expressed = is_among(EXPRESSED, word)
        || word == "enum" && only_strings(value)
        || word == "format" && value.json.as_str().is_some_and(limits::is_type);
    let is_least = matches!(word, "minLength" | "minItems" | "minProperties")
        && matches!(value.json, Json::Number(text) if text == "0");
    let restricts_nothing = is_least || matches!(value.json, Json::Null | Json::Bool(false));
    if is_expressed || restricts_nothing && word != "default" {
        return None;
    }
    let is_bound = matches!(word, "enum" | "format") || is_among(BOUNDS, word);
    Some(match word {
        "default" => Outcome::FilledIn,
        // A server ignores other formats.
        "format" if !is_checked(value) => Outcome::Ignored,
        _ if is_bound && role == Role::Field => Outcome::Documented,
        "not" => Outcome::Validated,
        _ if is_bound => Outcome::Validated,
        "x-kubernetes-validations" => Outcome::Server,
        _ => Outcome::Ignored,
    })
}
