//! The made-up release, seen by every crate and by the command line; `.ci/rehearsal/run` compiles it in a copy of the project.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

use k8s_flowcontrol::api::{v1, v1beta3};
use k8s_flowcontrol::client::Client;
use k8s_flowcontrol::{ApiVersion, Kind, Release};
use k8s_flowcontrol_analysis::lint::{Configuration, lint};
use k8s_flowcontrol_analysis::metrics::catalog::TARGET_SEATS;
use k8s_flowcontrol_analysis::monitoring::Monitoring;
use k8s_flowcontrol_analysis::preview::{Area, Preview};
use k8s_flowcontrol_analysis::upgrade::Plan;
use k8s_flowcontrol_rules::bootstrap;
use k8s_flowcontrol_rules::decode::Format;
use k8s_flowcontrol_rules::seats::FeatureGate;
use k8s_flowcontrol_rules::validate::verdict::{Operation, Request, of_text};
use k8s_flowcontrol_server::ApiServer;
use k8s_flowcontrol_types::convert::Convert;
use k8s_flowcontrol_types::kind::VersionedKind;
use serde_json::{Value, json};
use std::process::Command;

fn before() -> Release {
    let next: u32 = std::env::var("REHEARSED").unwrap().parse().unwrap();
    Release::new(next - 1).unwrap()
}

fn next() -> Release {
    let next: u32 = std::env::var("REHEARSED").unwrap().parse().unwrap();
    Release::new(next).unwrap()
}

fn schema(rehearsed: Value) -> Value {
    json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "FlowSchema",
        "metadata": {"name": "own"},
        "spec": {"priorityLevelConfiguration": {"name": "global-default"}, "rehearsed": rehearsed},
    })
}

#[test]
fn the_release_is_the_newest() {
    assert_eq!(Release::NEWEST, next());
    assert_eq!(next().preferred(), ApiVersion::V1);
    assert_eq!(Release::all().last(), Some(next()));
}

#[test]
fn types_and_conversion_have_the_field() {
    let own: v1::FlowSchema = serde_json::from_value(schema(json!(0))).unwrap();
    assert_eq!(own.spec.rehearsed, Some(0));
    let old: v1beta3::FlowSchema = own.clone().convert_shape(next()).unwrap();
    assert_eq!(old.spec.rehearsed, Some(0));
    let same: v1::FlowSchema = own.clone().convert_for_server(next()).unwrap();
    assert_eq!(same, own);
    let lossy = Convert::<v1::FlowSchema>::convert_for_server(own, before()).unwrap_err();
    assert_eq!(lossy.losses[0].path, "spec.rehearsed");
}

#[test]
fn validation_knows_the_field_and_the_words() {
    let verdict = |release: Release, body: &Value| {
        let kind = VersionedKind::new(Kind::FlowSchema, ApiVersion::V1, release);
        let request = Request::new(kind, Operation::Create { existing: &[] });
        of_text(body.to_string().as_bytes(), Format::Json, &request)
    };
    let own = schema(json!(7));
    assert_eq!(verdict(next(), &own).code, 201);
    let unknown = verdict(before(), &own);
    let text = format!("{unknown:?}");
    assert!(text.contains("spec.rehearsed"), "{text}");
    // A pointer with a value of a wrong type is an error of the decoder.
    assert_eq!(verdict(next(), &schema(json!("seven"))).code, 400);
    let mut nameless = schema(Value::Null);
    nameless["spec"]["priorityLevelConfiguration"]["name"] = "".into();
    for (release, words) in [(before(), "must reference a"), (next(), "has to name a")] {
        let text = format!("{:?}", verdict(release, &nameless));
        assert!(text.contains(words), "{release}: {text}");
    }
}

#[test]
fn lint_and_monitoring_and_preview_follow() {
    let own: v1::FlowSchema = serde_json::from_value(schema(json!(7))).unwrap();
    let lint = |release| lint(&Configuration::files(&[own.clone()], &[], release)).len();
    assert_eq!(lint(next()), lint(before()));
    assert!(TARGET_SEATS.is_exposed_by(before()) && !TARGET_SEATS.is_exposed_by(next()));
    let name = TARGET_SEATS.name();
    let dashboard = |release| Monitoring::new(release).dashboard().to_string();
    assert!(!dashboard(next()).contains(name));
    let mut preview = Preview::new(Plan::new(before(), next()));
    preview.add_object("own", Kind::FlowSchema, ApiVersion::V1, &{
        let mut nameless = schema(Value::Null);
        nameless["spec"]["priorityLevelConfiguration"]["name"] = "".into();
        nameless
    });
    let areas: Vec<_> = preview.changes().iter().map(|change| change.area).collect();
    for area in [Area::Metrics, Area::Server, Area::Validation] {
        assert!(areas.contains(&area), "{area}: {:?}", preview.changes());
    }
}

#[test]
fn the_gate_is_locked_and_seats_stay() {
    let gate = FeatureGate::SizeBasedListCostEstimate;
    assert!(gate.can_change_in(before()) && !gate.can_change_in(next()));
    assert_eq!(gate.default_in(next()), Some(true));
    assert_eq!(
        bootstrap::objects(next()).len(),
        bootstrap::objects(before()).len()
    );
}

#[tokio::test]
async fn the_server_and_the_client_follow() {
    for (release, kept) in [(before(), false), (next(), true)] {
        let server = ApiServer::builder().release(release).start().await.unwrap();
        let client = Client::from_url(server.url()).unwrap();
        assert_eq!(client.release().await.unwrap(), release);
        let own: v1::FlowSchema = serde_json::from_value(schema(json!(7))).unwrap();
        let created = client.api::<v1::FlowSchema>().create(&own).await.unwrap();
        assert_eq!(created.spec.rehearsed, kept.then_some(7), "{release}");
        let path = "/openapi/v3/apis/flowcontrol.apiserver.k8s.io/v1";
        let document = String::from_utf8(client.get_raw(path).await.unwrap()).unwrap();
        assert_eq!(document.contains("\"rehearsed\""), kept, "{release}");
    }
}

#[test]
fn the_command_line_follows() {
    let run = |arguments: &[&str]| {
        let program = std::env::var("KUBECTL_FLOWCONTROL").unwrap();
        let output = Command::new(program).args(arguments).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        String::from_utf8(text).unwrap()
    };
    let (next, before) = (next().to_string(), before().to_string());
    let preview = run(&["preview", "--to-release", &next, "--from-release", &before]);
    assert!(
        preview.contains("A made-up fact") && preview.contains("target_seats"),
        "{preview}"
    );
    let gates = "SizeBasedListCostEstimate=false";
    let seats = run(&[
        "cost",
        "--kubernetes",
        &next,
        "--feature-gates",
        gates,
        "list",
        "pods",
    ]);
    assert!(seats.contains("is locked in Kubernetes"), "{seats}");
    assert!(run(&["serve", "--help"]).contains(&format!("[default: {next}]")));
}
