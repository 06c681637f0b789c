//! `get`: listing the objects of a cluster.

use crate::cluster::block_on;
use crate::cluster::{LiveArgs, TargetArgs, name, table};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{ObjectFormat, Streams, write_objects};
use clap::ValueEnum;
use k8s_flowcontrol::Kind;
use serde_json::Value;
use std::io::Write;

/// Display objects of a cluster
///
/// The objects are read in the newest served API version, or in the version of `--api-version`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,

    #[command(flatten)]
    live: LiveArgs,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  # All flow schemas and priority levels
  kubectl flowcontrol get

  # A priority level in an older version
  kubectl flowcontrol get plc/workload-low --api-version v1beta3 -o yaml

  # Flow schemas with their owners
  kubectl flowcontrol get fs -o wide";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    Table,
    /// A table with more columns, such as the owner
    Wide,
    Json,
    Yaml,
    /// KIND/NAME, one object per line
    Name,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let objects = block_on(async {
        let live = args.live.connect().await?;
        args.target.find(&live).await
    })?;
    match args.output {
        Output::Table => tables(&objects, false, streams)?,
        Output::Wide => tables(&objects, true, streams)?,
        Output::Json => write_objects(ObjectFormat::Json, &trees(objects), streams)?,
        Output::Yaml => write_objects(ObjectFormat::Yaml, &trees(objects), streams)?,
        Output::Name => {
            for (kind, object) in &objects {
                let kind = kind.as_str().to_ascii_lowercase();
                writeln!(streams.out, "{kind}/{}", name(object))?;
            }
        }
    }
    Ok(Exit::Success)
}

fn trees(objects: Vec<(Kind, Value)>) -> Vec<Value> {
    objects.into_iter().map(|(_, object)| object).collect()
}

/// Prints a table for each kind that has objects.
fn tables(objects: &[(Kind, Value)], wide: bool, streams: &mut Streams) -> Result<(), Failure> {
    let mut is_first = true;
    for kind in Kind::ALL {
        let of_kind: Vec<_> = objects
            .iter()
            .filter(|(other, _)| *other == kind)
            .map(|(_, object)| object)
            .collect();
        if of_kind.is_empty() {
            continue;
        }
        if !is_first {
            writeln!(streams.out)?;
        }
        is_first = false;
        table(kind, &of_kind, wide).write(&mut streams.out)?;
    }
    if is_first {
        writeln!(streams.err, "no objects found")?;
    }
    Ok(())
}
