//! `top`: the current load of priority levels.

mod reading;

use crate::cluster::{ClusterArgs, ControlPlane, block_on};
use crate::command::{API_SERVERS, Command, Group, METRICS, Needs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, Table, plural, write_report};
use clap::ValueEnum;
pub(crate) use reading::Reading;
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Show the current requests and seats of each priority level
///
/// Reads the debug dump of priority levels and the metrics of every API server that is reachable by its own address, or else of the
/// server that responds at the cluster's address, twice within a second for the rate of rejected requests. LIMIT is the current limit. Each API server has its own seats and counters.
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
    /// {"schemaVersion": 1, "servers": [{"address", "reachedBy", "levels"}], "levels": [{"name", "executing", "waiting", "rejected",
    /// "rejectedPerSecond", "seatsInUse", "seats"}]}: the sums over all servers, and the levels of each; null for a value that no server reports
    Json,
}

impl Command for Args {
    const NAME: &'static str = "top";
    const GROUP: Group = Group::Requests;
    const NEEDS: Needs = Needs::new(
        &[
            METRICS,
            "/debug/api_priority_and_fairness/dump_priority_levels",
        ],
        &[API_SERVERS],
    );
    const EXITS: &'static [(Exit, &'static str)] = &[(
        Exit::Cluster,
        "the cluster is unreachable, or rejects a request",
    )];

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        run(self, streams)
    }
}

fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    block_on(async {
        let control_plane = ControlPlane::connect(&args.cluster).await?;
        let is_live = args.output == Output::Table && !args.once && std::io::stdout().is_terminal();
        // Rates need an earlier reading.
        let mut earlier = read_all(&control_plane, &mut Vec::new()).await?;
        let mut read_at = Instant::now();
        tokio::time::sleep(Duration::from_secs(1)).await;
        loop {
            let mut notes: Vec<_> = control_plane.notes().collect();
            let mut readings = read_all(&control_plane, &mut notes).await?;
            for reading in &mut readings {
                reading.rates_since(&earlier, read_at.elapsed());
            }
            read_at = Instant::now();
            match args.output {
                Output::Json => write_report(&mut streams.out, as_json(&readings))?,
                Output::Table => {
                    if is_live {
                        streams.out.clear_screen()?;
                    }
                    print(&readings, &notes, streams)?;
                }
            }
            streams.out.flush()?;
            if !is_live {
                return Ok(Exit::Success);
            }
            earlier = readings;
            tokio::select! {
                () = tokio::time::sleep(Duration::from_secs(args.interval)) => {}
                _ = tokio::signal::ctrl_c() => return Ok(Exit::Success),
            }
        }
    })
}

/// Reads all servers at the same time.
///
/// # Errors
/// If none can be read. If only some can be read, the notes have the errors of the others.
async fn read_all(
    control_plane: &ControlPlane,
    notes: &mut Vec<String>,
) -> Result<Vec<Reading>, Failure> {
    let mut reads = JoinSet::new();
    for (index, server) in control_plane.servers.iter().cloned().enumerate() {
        reads.spawn(async move { (index, Reading::take(&server).await, server.address) });
    }
    let mut results = reads.join_all().await;
    results.sort_by_key(|(index, ..)| *index);
    let (mut readings, mut failed) = (Vec::new(), None);
    for (_, result, address) in results {
        match result {
            Ok(reading) => readings.push(reading),
            Err(failure) => {
                notes.push(format!("{address}: {failure}"));
                failed = Some(failure);
            }
        }
    }
    match failed {
        Some(failure) if readings.is_empty() => Err(failure),
        _ => Ok(readings),
    }
}

fn print(readings: &[Reading], notes: &[String], streams: &mut Streams) -> Result<(), Failure> {
    let has_one = readings.len() == 1;
    let mut table = match has_one {
        true => Table::new([
            "PRIORITYLEVEL",
            "EXECUTING",
            "WAITING",
            "REJECTED/S",
            "INUSE",
            "LIMIT",
        ]),
        false => Table::new([
            "PRIORITYLEVEL",
            "SERVER",
            "EXECUTING",
            "WAITING",
            "REJECTED/S",
            "INUSE",
            "LIMIT",
        ])
        .keys(2),
    };
    let mut rows: Vec<_> = readings
        .iter()
        .flat_map(|reading| reading.levels.iter().map(|level| (level, &reading.address)))
        .collect();
    // A stable sort keeps the order of the servers.
    rows.sort_by(|(left, _), (right, _)| left.name.cmp(&right.name));
    for (level, server) in rows {
        let number =
            |value: Option<i64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        let rate = level.rejected_per_second;
        let rate = rate.map_or_else(|| "-".to_owned(), |rate| format!("{rate:.1}"));
        let mut cells = vec![level.name.clone()];
        cells.extend((!has_one).then(|| server.clone()));
        cells.extend([
            number(level.executing),
            number(level.waiting),
            rate,
            number(level.seats_in_use),
            number(level.seats),
        ]);
        table.add(cells);
    }
    table.write(&mut streams.out)?;
    let servers = plural(readings.len(), "API server");
    let reached: Vec<_> = readings
        .iter()
        .map(|reading| format!("reached by {} at {}", reading.reached_by, reading.address))
        .collect();
    writeln!(streams.out)?;
    let reached = reached.join(", ");
    streams
        .out
        .paragraph(&format!("{servers} responded, {reached}"))?;
    for missing in readings
        .iter()
        .flat_map(|reading| &reading.missing)
        .chain(notes)
    {
        streams.out.paragraph(missing)?;
    }
    Ok(())
}

fn as_json(readings: &[Reading]) -> serde_json::Value {
    let level = |level: &reading::Level| {
        json!({
            "name": level.name,
            "executing": level.executing,
            "waiting": level.waiting,
            "rejected": level.rejected,
            "rejectedPerSecond": level.rejected_per_second,
            "seatsInUse": level.seats_in_use,
            "seats": level.seats,
        })
    };
    let levels = |levels: &[reading::Level]| levels.iter().map(level).collect::<Vec<_>>();
    let server = |reading: &Reading| {
        json!({
            "address": reading.address,
            "reachedBy": reading.reached_by,
            "levels": levels(&reading.levels),
        })
    };
    json!({
        "servers": readings.iter().map(server).collect::<Vec<_>>(),
        "levels": levels(&Reading::sum(readings)),
    })
}
