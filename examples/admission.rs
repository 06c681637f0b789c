//! Checks objects before a server stores them, as a webhook or a pipeline does: an AdmissionReview from standard input, its response
//! to standard output. The rules are the server's, and findings of lint become warnings.
//!
//! `cargo run --example admission < review.json` does not need a server.

use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::kind::VersionedKind;
use k8s_flowcontrol::rules::validate;
use k8s_flowcontrol::{GROUP, Kind, Release};
use k8s_flowcontrol_analysis::lint::{Configuration, lint};
use serde_json::{Value, json};
use std::error::Error;
use std::io::Read;

fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    println!("{}", review(&serde_json::from_str(&text)?)?);
    Ok(())
}

/// The response to a review.
fn review(review: &Value) -> Result<Value, Box<dyn Error>> {
    let request = &review["request"];
    let (object, old) = (&request["object"], &request["oldObject"]);
    let text = |field: &str| request["kind"][field].as_str().unwrap_or_default();
    let mut response = json!({"uid": request["uid"], "allowed": true});
    // A deletion does not have an object; the server itself writes status.
    let is_status = request["subResource"] == "status";
    if text("group") == GROUP && object.is_object() && !is_status {
        let kind = text("kind").parse()?;
        let rules = VersionedKind::new(kind, text("version").parse()?, Release::NEWEST);
        let violations = match old.is_null() {
            true => validate::create(object, rules),
            false => validate::update(old, object, rules),
        };
        let causes: Vec<String> = violations.iter().map(ToString::to_string).collect();
        if causes.is_empty() {
            response["warnings"] = warnings(kind, object).into();
        } else {
            response["allowed"] = false.into();
            response["status"] = json!({"code": 422, "message": causes.join("; ")});
        }
    }
    Ok(
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}),
    )
}

/// Likely mistakes in a valid object of v1, beside the built-in objects.
fn warnings(kind: Kind, object: &Value) -> Vec<String> {
    let (mut schemas, mut levels) = (Vec::new(), Vec::new());
    match kind {
        Kind::FlowSchema => {
            schemas.extend(serde_json::from_value::<FlowSchema>(object.clone()).ok());
        }
        Kind::PriorityLevelConfiguration => {
            let level = serde_json::from_value::<PriorityLevelConfiguration>(object.clone());
            levels.extend(level.ok());
        }
    }
    lint(&Configuration::files(&schemas, &levels, Release::NEWEST))
        .into_iter()
        .map(|finding| format!("{}: {}", finding.path, finding.message))
        .collect()
}
