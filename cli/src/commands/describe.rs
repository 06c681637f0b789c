//! `describe`: the details of objects, and their effect in the cluster.

mod level;
mod schema;

use crate::cluster::{
    LiveArgs, SeatsArg, ServerSeats, TargetArgs, age, all_objects, block_on, name, owner,
};
use crate::command::{BOTH, Command, Declared, Group, METRICS, Needs, RELEASE, SERVED, on};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, one_line};
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::{Kind, Release};
use serde_json::Value;
use std::io::Write;

/// Show details of objects of a cluster, and their effect
///
/// For a priority level: its seats, and the flow schemas that refer to it. For a flow schema: the requests that it matches, the
/// number of flow schemas before it, and its priority level.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,

    #[command(flatten)]
    live: LiveArgs,

    #[command(flatten)]
    seats: SeatsArg,
}

const EXAMPLES: &str = "\
Examples:
  kubectl flowcontrol describe plc/workload-low
  kubectl flowcontrol describe fs service-accounts";

/// The other objects of the cluster.
struct Surroundings {
    schemas: Vec<FlowSchema>,
    levels: Vec<PriorityLevelConfiguration>,
    release: Release,
    /// The seats of the API server that responded, or the reason why they are unknown.
    seats: Result<ServerSeats, Failure>,
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "describe";
    const GROUP: Group = Group::Objects;
    const PLACE: u8 = 2;
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE, METRICS], &[on(BOTH, &["get", "list"])]);

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        self.target.targets()?;
        block_on(async {
            let live = self.live.connect().await?;
            let (objects, unfound) = self.target.find_each(&live).await?;
            let client = &live.client;
            let (schemas, levels) = all_objects(client).await?;
            let release = live.release().await?;
            let seats = self.seats.live(client, &levels, release).await;
            let around = Surroundings {
                schemas,
                levels,
                release,
                seats,
            };
            if objects.is_empty() && unfound.is_empty() {
                writeln!(streams.err, "no objects found")?;
            }
            for (index, (kind, object)) in objects.iter().enumerate() {
                if index > 0 {
                    writeln!(streams.out, "\n")?;
                }
                head(*kind, object, streams)?;
                match kind {
                    Kind::FlowSchema => schema::describe(object, &around, streams)?,
                    Kind::PriorityLevelConfiguration => level::describe(object, &around, streams)?,
                }
            }
            streams.out.flush()?;
            let failures = unfound.into_iter().map(|unfound| unfound.failure);
            Ok(Failure::report_all(failures, streams))
        })
    }
}

/// Prints the parts that all objects have.
fn head(kind: Kind, object: &Value, streams: &mut Streams) -> Result<(), Failure> {
    let metadata = &object["metadata"];
    line(streams, "Name", name(object))?;
    let version = object["apiVersion"].as_str().unwrap_or_default();
    line(streams, "Kind", &format!("{kind} ({version})"))?;
    line(streams, "Age", &age(object))?;
    for (title, field) in [("Labels", "labels"), ("Annotations", "annotations")] {
        let pairs = metadata[field].as_object().into_iter().flatten();
        let pairs = pairs.map(|(key, value)| {
            let value = value.as_str().unwrap_or_default();
            // The last-applied annotation would be longer than everything else.
            let value = if value.len() > 100 { "…" } else { value };
            format!("{key}={value}")
        });
        lines(streams, title, pairs)?;
    }
    if let Some(owner) = owner(kind, object) {
        line(streams, "Managed by", &owner.to_string())?;
    }
    let managers = metadata["managedFields"].as_array().into_iter().flatten();
    let managers = managers.map(|entry| {
        let word = |field: &str| entry[field].as_str().unwrap_or_default();
        let version = word("apiVersion").rsplit('/').next().unwrap_or_default();
        let part = match word("subresource") {
            "" => String::new(),
            subresource => format!(" of {subresource}"),
        };
        let (manager, operation, time) = (word("manager"), word("operation"), word("time"));
        format!("{manager} ({operation}{part} in {version}, {time})")
    });
    lines(streams, "Managers", managers)
}

/// Prints lines, the first of them with a title.
fn lines(
    streams: &mut Streams,
    title: &str,
    texts: impl IntoIterator<Item = String>,
) -> Result<(), Failure> {
    for (index, text) in texts.into_iter().enumerate() {
        line(streams, if index == 0 { title } else { "" }, &text)?;
    }
    Ok(())
}

/// Prints a line with a title. The text cannot add lines.
fn line(streams: &mut Streams, title: &str, text: &str) -> Result<(), Failure> {
    let title = if title.is_empty() {
        String::new()
    } else {
        format!("{title}:")
    };
    writeln!(streams.out, "{title:<18}{}", one_line(text))?;
    Ok(())
}
