//! Measurements without a peer: one line of JSON for each piece of work.

mod audit;
mod files;
mod growth;
mod lint;
mod queueing;
mod server;
mod simulation;
mod size;

use bench_data::{Meter, list, report};
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::kind::VersionedKind;
use k8s_flowcontrol::rules::matching::{Classifier, RequestAttributes, User};
use k8s_flowcontrol::rules::{bootstrap, validate};
use k8s_flowcontrol::{ApiVersion, Kind, List, Release};
use k8s_flowcontrol_codegen::Generator;
use k8s_flowcontrol_specs::ALL;
use serde_json::Value;
use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

type Outcome = Result<(), Box<dyn Error>>;

const USAGE: &str = "usage: classify COUNT | queue COUNT | simulate COUNT | validate ROUNDS | generate ROUNDS | \
                     requests COUNT | raw-requests COUNT | starts COUNT | idle WATCHES | fan-out WATCHES CHANGES | fan-out-decoded WATCHES CHANGES | \
                     grow WORK COUNT | input KIND COUNT | audit EVENTS | audit-fluent-bit EVENTS | audit-cloudwatch EVENTS | traffic EVENTS | traffic-fluent-bit EVENTS | size REQUESTS BURST SEATS SECONDS [check] | \
                     migrate PROGRAM FILES | checkout PROGRAM FILES";

#[tokio::main]
async fn main() -> Outcome {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["classify", count] => classify(count.parse()?),
        ["queue", count] => queueing::queue(count.parse()?),
        ["simulate", count] => simulation::simulation(count.parse()?),
        ["validate", rounds] => validate(rounds.parse()?),
        ["generate", rounds] => generate(rounds.parse()?),
        ["requests", count] => server::requests(count.parse()?).await,
        ["raw-requests", count] => server::raw_requests(count.parse()?).await,
        ["starts", count] => server::starts(count.parse()?).await,
        ["idle", watches] => server::idle(watches.parse()?).await,
        ["fan-out", watches, changes] => {
            server::fan_out(watches.parse()?, changes.parse()?, false).await
        }
        ["fan-out-decoded", watches, changes] => {
            server::fan_out(watches.parse()?, changes.parse()?, true).await
        }
        ["grow", work, count] => growth::grow(work, count.parse()?).await,
        ["input", kind, count] => growth::input(kind, count.parse()?),
        ["audit", events] => audit::audit(events.parse()?, audit::Envelope::None),
        ["audit-fluent-bit", events] => audit::audit(events.parse()?, audit::Envelope::FluentBit),
        ["audit-cloudwatch", events] => audit::audit(events.parse()?, audit::Envelope::CloudWatch),
        ["traffic", events] => audit::whole_report(events.parse()?, audit::Envelope::None),
        ["traffic-fluent-bit", events] => {
            audit::whole_report(events.parse()?, audit::Envelope::FluentBit)
        }
        ["size", requests, burst, seats, seconds, ref check @ ..]
            if matches!(check, [] | ["check"]) =>
        {
            let requests = (requests.parse()?, burst.parse()?);
            let budget = Duration::from_secs(seconds.parse()?);
            size::size(requests, seats, budget, !check.is_empty())
        }
        ["migrate", program, count] => files::migrate(program, count.parse()?),
        ["checkout", program, count] => files::checkout(program, count.parse()?),
        _ => Err(USAGE.into()),
    }
}

/// The flow schemas and priority levels that a server creates.
fn built_in() -> (Vec<FlowSchema>, Vec<PriorityLevelConfiguration>) {
    (
        bootstrap::flow_schemas(Release::NEWEST),
        bootstrap::priority_levels(Release::NEWEST),
    )
}

/// Requests of several sorts, with a server's own configuration and a hundred schemas of teams.
fn classify(count: usize) -> Outcome {
    let (mut schemas, levels) = built_in();
    schemas.extend(serde_json::from_str::<List<FlowSchema>>(&list(100))?.items);
    let classifier = Classifier::new(&schemas, &levels, Release::NEWEST);
    let user = |number: usize| User::service_account(&format!("team-{number}"), "controller");
    let requests = [
        RequestAttributes::from_http("GET", "/apis/apps/v1/namespaces/a/deployments", user(7))?,
        RequestAttributes::from_http("PUT", "/api/v1/namespaces/a/pods/b/status", user(8))?,
        RequestAttributes::from_http("GET", "/healthz", User::anonymous())?,
        RequestAttributes::from_http(
            "GET",
            "/api/v1/nodes?watch=1",
            User::authenticated("kubelet", ["system:nodes"]),
        )?,
        RequestAttributes::from_http(
            "POST",
            "/api/v1/namespaces",
            User::authenticated("alice", ["dev"]),
        )?,
        RequestAttributes::from_http(
            "GET",
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/x",
            User::authenticated("root", ["system:masters"]),
        )?,
    ];
    let meter = Meter::start();
    for request in requests.iter().cycle().take(count) {
        black_box(classifier.classify(black_box(request)));
    }
    rate(&meter, "requests/s", count);
    Ok(())
}

fn validate(rounds: usize) -> Outcome {
    let list: Value = serde_json::from_str(&list(1000))?;
    let objects = list["items"].as_array().ok_or("no items")?;
    let kind = VersionedKind::new(Kind::FlowSchema, ApiVersion::V1, Release::NEWEST);
    let meter = Meter::start();
    for _ in 0..rounds {
        for object in objects {
            let violations = validate::create(black_box(object), kind);
            if let Some(violation) = violations.first() {
                return Err(format!("the object ought to be valid: {violation}").into());
            }
        }
    }
    rate(&meter, "objects/s", rounds * objects.len());
    Ok(())
}

/// All documents of the group, as the build script of the types does it.
fn generate(rounds: usize) -> Outcome {
    let meter = Meter::start();
    for _ in 0..rounds {
        let generator = ALL
            .iter()
            .try_fold(Generator::new(), |generator, document| {
                generator.document(document.file_name, document.text)
            })?;
        black_box(generator.with_meta().runtime("crate").generate()?);
    }
    let (wall, cpu) = meter.stop();
    report(&[
        ("seconds", wall.as_secs_f64() / rounds as f64),
        ("cpu seconds", cpu.as_secs_f64() / rounds as f64),
    ]);
    Ok(())
}

/// Reports so many per second, and per second of the processor.
fn rate(meter: &Meter, name: &str, count: usize) {
    let (wall, cpu) = meter.stop();
    report(&[
        (name, count as f64 / wall.as_secs_f64()),
        ("per cpu second", count as f64 / cpu.as_secs_f64()),
        ("cpu seconds", cpu.as_secs_f64()),
    ]);
}
