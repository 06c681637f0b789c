//! `top`: the current load of priority levels.

mod draw;
mod flow;
mod lines;
mod live;
mod print;
mod reading;
mod screen;
mod view;

use crate::cluster::{ClusterArgs, ControlPlane, block_on};
use crate::command::{API_SERVERS, Command, Declared, Group, METRICS, Needs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::number::number;
use crate::output::{Streams, warn, write_report};
use clap::ValueEnum;
use print::{as_json, print};
pub(crate) use reading::Reading;
use reading::read_all;
use std::io::{IsTerminal, Write};
use std::time::Duration;

/// Show the current requests and seats of each priority level
///
/// On a terminal this is a view of the whole screen with the busiest flows: the arrows select a level, Enter opens it, and the last
/// line names the other keys. Elsewhere it is a table.
///
/// Reads the metrics and the debug dumps of every API server that is reachable by its own address, or else of the server that
/// responds at the cluster's address, twice for the rate of rejected requests. LIMIT is the current limit, and BORROWED is its
/// difference to the nominal limit, negative for a level that lends. Each API server has its own seats and counters. The requests come from the dumps, or
/// else from the metrics, and the seats from the metrics, which are read one after the other.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    cluster: ClusterArgs,

    /// The seconds between two updates of the view
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = number::<u64>(1..=3600))]
    interval: u64,

    /// Print a table, also on a terminal
    #[arg(long)]
    once: bool,

    /// The output format; json prints once
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  # The view on a terminal
  kubectl flowcontrol top

  # A table
  kubectl flowcontrol top --once

  # For a script
  kubectl flowcontrol top -o json";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// The view on a terminal, else a table
    Table,
    /// {"schemaVersion": 1, "servers": [{"address", "reachedBy", "levels"}], "levels": [{"name", "executing", "waiting", "rejected",
    /// "rejectedPerSecond", "seatsInUse", "seats", "nominalSeats"}], "flows": [{"level", "flowSchema", "flow", "executing", "waiting"}]}:
    /// the sums over all servers, and the levels of each; null for a value that no server reports
    Json,
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "top";
    const GROUP: Group = Group::Requests;
    const PLACE: u8 = 7;
    const NEEDS: Needs = Needs::new(&[METRICS, reading::DUMP, reading::REQUESTS], &[API_SERVERS]);

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let is_live = self.output == Output::Table && !self.once && is_interactive();
        block_on(async {
            // Notes of the server about its API versions are not shown on a screen.
            let control_plane = ControlPlane::of(self.cluster.silent_client()?).await;
            // Rates need an earlier reading.
            let earlier = read_all(&control_plane).await?;
            tokio::time::sleep(Duration::from_secs(1)).await;
            let mut readings = read_all(&control_plane).await?;
            readings.rates_since(&earlier);
            if is_live {
                streams.out.flush()?;
                let has_color = streams.out.has_color();
                return live::show(control_plane, readings, self.interval, has_color).await;
            }
            match self.output {
                Output::Json => {
                    for missing in readings.missing() {
                        warn(&missing)?;
                    }
                    write_report(&mut streams.out, as_json(&readings.servers))?;
                }
                Output::Table => print(&readings, streams)?,
            }
            Ok(Exit::Success)
        })
    }
}

/// Whether a person can look at the view and press keys.
fn is_interactive() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
    std::io::stdout().is_terminal() && input::is_interactive() && !is_dumb
}
