//! One piece of work on so many objects, events, lines or watches, for the growth with their number.

use crate::{Outcome, audit, built_in, lint, server, simulation};
use bench_data::{Meter, flow_schema, list, report};
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::kind::VersionedKind;
use k8s_flowcontrol::rules::matching::{Classifier, RequestAttributes, User};
use k8s_flowcontrol::rules::validate;
use k8s_flowcontrol::watch::Store;
use k8s_flowcontrol::{ApiVersion, Client, Kind, List, Release, Resource, json};
use k8s_flowcontrol_manifests::{Form, Settings, migrate};
use k8s_flowcontrol_server::ApiServer;
use serde_json::Value;
use std::hint::black_box;
use std::io::Write;

/// Does the work, and reports its CPU seconds.
pub(crate) async fn grow(work: &str, count: usize) -> Outcome {
    match work {
        "decode" => {
            let text = list(count);
            let meter = Meter::start();
            black_box(json::from_str::<List<FlowSchema>>(&text)?);
            seconds(&meter);
        }
        "lint-resources" => return lint::one(0, count),
        "lint-namespaces" => return lint::one(1, count),
        "lint-nothing" => return lint::one(2, count),
        "lint-groups" => return lint::one(3, count),
        "lint-teams" => return lint::one(4, count),
        "validate" => {
            let kind = VersionedKind::new(Kind::FlowSchema, ApiVersion::V1, Release::NEWEST);
            let list: Value = serde_json::from_str(&list(count))?;
            let meter = Meter::start();
            for object in list["items"].as_array().ok_or("no items")? {
                black_box(validate::create(black_box(object), kind));
            }
            seconds(&meter);
        }
        "migrate" => {
            let text = manifests(count, "v1beta3");
            let meter = Meter::start();
            let migration = migrate(&text, Form::Yaml, Settings::to(ApiVersion::V1));
            let changed = migration.text.ok_or("nothing was changed")?;
            seconds(&meter);
            assert!(!changed.contains("v1beta3"));
        }
        "match" => match_one(count)?,
        "simulate" => return simulation::simulation(count as u64),
        "diagnose" => return audit::diagnosis(count),
        "traffic" => return audit::whole_report(count, audit::Envelope::None),
        "server-objects" => objects(count).await?,
        "server-writes" => return server::writes(count).await,
        "server-watches" => return server::fan_out(count, 20, false).await,
        "store" => store(count).await?,
        _ => return Err(format!("{work} is not a piece of work").into()),
    }
    Ok(())
}

/// Writes a file of so many objects or events to the output.
pub(crate) fn input(kind: &str, count: usize) -> Outcome {
    let mut output = std::io::stdout().lock();
    match kind {
        "objects" => output.write_all(manifests(count, "v1").as_bytes())?,
        "old-objects" => output.write_all(manifests(count, "v1beta3").as_bytes())?,
        "one-line" => output.write_all(one_line(count).as_bytes())?,
        "audit" => {
            std::io::copy(&mut audit::log(count)?, &mut output)?;
        }
        _ => return Err(format!("{kind} is not a kind of input").into()),
    }
    Ok(())
}

/// Schemas of one level, each with another subject.
fn manifests(count: usize, version: &str) -> String {
    let mut text = format!(
        "apiVersion: flowcontrol.apiserver.k8s.io/{version}\nkind: PriorityLevelConfiguration\nmetadata:\n  name: teams\nspec:\n  \
         type: Limited\n  limited:\n    nominalConcurrencyShares: 20\n    limitResponse:\n      type: Reject\n"
    );
    for index in 0..count {
        text.push_str(&format!(
            "---\napiVersion: flowcontrol.apiserver.k8s.io/{version}\nkind: FlowSchema\nmetadata:\n  name: team-{index}\nspec:\n  \
             matchingPrecedence: {precedence}  # of the team\n  priorityLevelConfiguration:\n    name: teams\n  distinguisherMethod:\n    type: ByUser\n  \
             rules:\n    - subjects:\n        - kind: Group\n          group:\n            name: team-{index}\n      resourceRules:\n        - verbs: ['*']\n          \
             apiGroups: [apps]\n          resources: [deployments]\n          namespaces: ['*']\n",
            precedence = 1000 + index % 8000,
        ));
    }
    text
}

/// Levels in one line of JSON, and a schema with twice as many rules. Each level and each rule has findings.
fn one_line(count: usize) -> String {
    let mut text = r#"{"kind": "List", "items": ["#.to_owned();
    for index in 0..count {
        text.push_str(&format!(
            r#"{{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "PriorityLevelConfiguration", "metadata": {{"name": "a{index}"}}, "spec": {{"type": "Limited", "limited": {{"assuredConcurrencyShares": {index}}}}}}}, "#
        ));
    }
    let rule = r#"{"subjects": [{"kind": "User"}], "resourceRules": []}"#;
    let rules = vec![rule; 2 * count].join(", ");
    text.push_str(&format!(
        r#"{{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {{"name": "b"}}, "spec": {{"priorityLevelConfiguration": {{"name": "exempt"}}, "rules": [{rules}]}}}}]}}"#
    ));
    text
}

/// Requests that no schema takes.
fn match_one(count: usize) -> Outcome {
    let (_, levels) = built_in();
    let schemas = serde_json::from_str::<List<FlowSchema>>(&list(count))?.items;
    let user = User::authenticated("nobody", ["nothing"]);
    let request = RequestAttributes::from_http("GET", "/api/v1/nodes", user)?;
    let meter = Meter::start();
    let classifier = Classifier::new(&schemas, &levels, Release::NEWEST);
    for _ in 0..20 {
        black_box(classifier.classify(black_box(&request)));
    }
    seconds(&meter);
    Ok(())
}

/// A server with so many objects: its start, and all pages of a list.
async fn objects(count: usize) -> Outcome {
    let objects = (0..count).map(flow_schema);
    let objects: Vec<Value> = objects
        .map(|text| serde_json::from_str(&text))
        .collect::<Result<_, _>>()?;
    let meter = Meter::start();
    let server = embedded(objects).await?;
    let client = Client::from_url(server.url())?;
    let mut pages = client.flow_schemas().list().limit(500).pages();
    let mut read = 0;
    while let Some(page) = pages.next().await {
        read += page?.items.len();
    }
    seconds(&meter);
    assert_eq!(read, count);
    Ok(())
}

async fn store(count: usize) -> Outcome {
    let objects = (0..count).map(|index| serde_json::from_str(&flow_schema(index)));
    let server = embedded(objects.collect::<Result<_, _>>()?).await?;
    let meter = Meter::start();
    let store = Store::start(Client::from_url(server.url())?.flow_schemas().watcher());
    store.wait_ready().await?;
    seconds(&meter);
    assert_eq!(store.len(), count);
    Ok(())
}

/// A server with these schemas alone.
async fn embedded(mut schemas: Vec<Value>) -> Result<ApiServer, Box<dyn std::error::Error>> {
    for schema in &mut schemas {
        schema["apiVersion"] = "flowcontrol.apiserver.k8s.io/v1".into();
        schema["kind"] = FlowSchema::KIND.into();
        if let Some(metadata) = schema["metadata"].as_object_mut() {
            metadata.retain(|name, _| matches!(name.as_str(), "name" | "labels" | "annotations"));
        }
    }
    let builder = ApiServer::builder().kubernetes("1.36").bootstrap(false);
    Ok(builder.objects(schemas).start().await?)
}

fn seconds(meter: &Meter) {
    report(&[("cpu seconds", meter.stop().1.as_secs_f64())]);
}
