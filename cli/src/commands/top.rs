//! `top`: the current load of priority levels.

mod reading;

use crate::cluster::{ClusterArgs, block_on};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, Table, write_report};
use clap::ValueEnum;
pub(crate) use reading::Reading;
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// Show the current requests and seats of each priority level
///
/// Reads the debug dump of priority levels and the metrics of the API server that responds. Each API server has its own seats: if
/// several API servers share an address, the output is about the responding server.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    cluster: ClusterArgs,

    /// The seconds between two updates on a terminal
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=3600))]
    interval: u64,

    /// Print once, also on a terminal
    #[arg(long)]
    once: bool,

    /// The output format; json prints once
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  kubectl flowcontrol top

  # For a script
  kubectl flowcontrol top -o json";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// A table; on a terminal it is updated until Ctrl-C
    Table,
    /// {"schemaVersion": 1, "servers": [{"address", "reachedBy"}], "levels": [{"name", "executing", "waiting", "rejected",
    /// "seatsInUse", "seats"}]}; null for a value that the server does not report
    Json,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    block_on(async {
        let client = args.cluster.client().await?;
        let is_live = args.output == Output::Table && !args.once && std::io::stdout().is_terminal();
        loop {
            let reading = Reading::take(&client).await?;
            match args.output {
                Output::Json => write_report(&mut streams.out, as_json(&reading))?,
                Output::Table => {
                    if is_live {
                        streams.out.clear_screen()?;
                    }
                    print(&reading, streams)?;
                }
            }
            streams.out.flush()?;
            if !is_live {
                return Ok(Exit::Success);
            }
            tokio::select! {
                () = tokio::time::sleep(Duration::from_secs(args.interval)) => {}
                _ = tokio::signal::ctrl_c() => return Ok(Exit::Success),
            }
        }
    })
}

fn print(reading: &Reading, streams: &mut Streams) -> Result<(), Failure> {
    let mut table = Table::new(["PRIORITYLEVEL", "EXECUTING", "WAITING", "REJECTED", "SEATS"]);
    for level in &reading.levels {
        let number =
            |value: Option<i64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        let seats = match (level.seats_in_use, level.seats) {
            (None, None) => "-".to_owned(),
            (used, all) => format!("{} of {}", number(used), number(all)),
        };
        table.row([
            level.name.clone(),
            number(level.executing),
            number(level.waiting),
            number(level.rejected),
            seats,
        ]);
    }
    table.write(&mut streams.out)?;
    writeln!(streams.out)?;
    streams.out.paragraph(&format!(
        "1 API server responded, reached by {} at {}",
        reading.reached_by, reading.address
    ))?;
    for missing in &reading.missing {
        streams.out.paragraph(&missing.to_string())?;
    }
    Ok(())
}

fn as_json(reading: &Reading) -> serde_json::Value {
    let level = |level: &reading::Level| {
        json!({
            "name": level.name,
            "executing": level.executing,
            "waiting": level.waiting,
            "rejected": level.rejected,
            "seatsInUse": level.seats_in_use,
            "seats": level.seats,
        })
    };
    json!({
        "servers": [{"address": reading.address, "reachedBy": reading.reached_by}],
        "levels": reading.levels.iter().map(level).collect::<Vec<_>>(),
    })
}
