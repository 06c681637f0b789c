//! Runs every piece of work on both sides, in turns, and prints the table of medians.
//!
//! `bench-compare [ROUNDS]` expects `bench-ours`, `bench-peer`, their `-held` programs and `bench-server` beside itself.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// A row of the table.
struct Row {
    work: &'static str,
    arguments: &'static str,
    /// The peer's work, where it is not the same.
    peer_arguments: &'static str,
    figure: &'static str,
    /// The size of one unit of the figure, in units of the program's report.
    unit: f64,
    /// The goal for ours divided by the peer's.
    goal: Goal,
}

enum Goal {
    AtLeast(f64),
    AtMost(f64),
}

const ROWS: &[Row] = &[
    row(
        "decode 5,000 FlowSchemas, MB/s",
        "decode 5000 20",
        "MB/s",
        1.0,
        Goal::AtLeast(3.0),
    ),
    row(
        "encode them, MB/s",
        "encode 5000 20",
        "MB/s",
        1.0,
        Goal::AtLeast(1.5),
    ),
    row(
        "memory of that list, MB",
        "held 5000",
        "bytes",
        1e6,
        Goal::AtMost(1.0 / 3.0),
    ),
    row(
        "watch of 100,000 events, events/s",
        "watch URL 100000",
        "events/s",
        1.0,
        Goal::AtLeast(3.0),
    ),
    row(
        "the same, CPU seconds",
        "watch URL 100000",
        "cpu seconds",
        1.0,
        Goal::AtMost(0.5),
    ),
    row(
        "store of 100,000 objects, seconds until ready",
        "store URL 100000",
        "ready seconds",
        1.0,
        Goal::AtMost(0.5),
    ),
    row(
        "the same, resident MB",
        "store URL 100000",
        "resident bytes",
        1e6,
        Goal::AtMost(0.5),
    ),
    row(
        "the same without managed fields, annotations and status, against the peer's whole objects, seconds",
        "store-projected URL 100000",
        "ready seconds",
        1.0,
        Goal::AtMost(0.25),
    )
    .against("store URL 100000"),
    row(
        "the same, CPU seconds",
        "store-projected URL 100000",
        "cpu seconds",
        1.0,
        Goal::AtMost(0.25),
    )
    .against("store URL 100000"),
    row(
        "the same, resident MB",
        "store-projected URL 100000",
        "resident bytes",
        1e6,
        Goal::AtMost(0.25),
    )
    .against("store URL 100000"),
    row(
        "the same, against the peer's projected objects, seconds",
        "store-projected URL 100000",
        "ready seconds",
        1.0,
        Goal::AtMost(0.5),
    ),
    row(
        "the same, resident MB",
        "store-projected URL 100000",
        "resident bytes",
        1e6,
        Goal::AtMost(0.5),
    ),
    row(
        "the same of the metadata alone, against the peer's whole objects, seconds",
        "store-metadata URL 100000",
        "ready seconds",
        1.0,
        Goal::AtMost(0.25),
    )
    .against("store URL 100000"),
    row(
        "the same, resident MB",
        "store-metadata URL 100000",
        "resident bytes",
        1e6,
        Goal::AtMost(0.25),
    )
    .against("store URL 100000"),
];

impl Row {
    /// Compares with other work of the peer.
    const fn against(mut self, peer_arguments: &'static str) -> Self {
        self.peer_arguments = peer_arguments;
        self
    }

    const fn both(&self) -> [&'static str; 2] {
        [self.arguments, self.peer_arguments]
    }
}

const fn row(
    work: &'static str,
    arguments: &'static str,
    figure: &'static str,
    unit: f64,
    goal: Goal,
) -> Row {
    Row {
        work,
        arguments,
        peer_arguments: arguments,
        figure,
        unit,
        goal,
    }
}

fn main() -> Outcome<()> {
    let rounds = std::env::args()
        .nth(1)
        .map_or(Ok(5), |rounds| rounds.parse::<usize>())?
        .max(1);
    let folder = std::env::current_exe()?
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default();
    let server = Server::start(&folder)?;

    println!("| work | ours | peer | ratio | goal |");
    println!("|---|---:|---:|---:|---|");
    let mut done: Vec<([&str; 2], [Vec<Value>; 2])> = Vec::new();
    for row in ROWS {
        if done
            .last()
            .is_none_or(|(arguments, _)| *arguments != row.both())
        {
            let mut reports = [Vec::new(), Vec::new()];
            for _ in 0..rounds {
                let sides = ["bench-ours", "bench-peer"].iter().zip(row.both());
                for ((side, arguments), reports) in sides.zip(&mut reports) {
                    // Separate programs count memory, because a counting allocator takes time.
                    let (program, arguments) = match arguments.strip_prefix("held ") {
                        Some(count) => (format!("{side}-held"), count),
                        None => ((*side).to_owned(), arguments),
                    };
                    reports.push(run(&folder.join(program), arguments, &server.url)?);
                }
            }
            done.push((row.both(), reports));
        }
        let Some((_, [ours, peer])) = done.last() else {
            continue;
        };
        print_row(row, median(ours, row)?, median(peer, row)?);
    }
    Ok(())
}

fn print_row(row: &Row, ours: f64, peer: f64) {
    let ratio = ours / peer;
    let (goal, met) = match row.goal {
        Goal::AtLeast(goal) => (format!("at least {goal:.2}"), ratio >= goal),
        Goal::AtMost(goal) => (format!("at most {goal:.2}"), ratio <= goal),
    };
    let met = if met { "" } else { " (missed)" };
    println!(
        "| {} | {} | {} | {ratio:.2} | {goal}{met} |",
        row.work,
        figure(ours),
        figure(peer)
    );
}

fn figure(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    }
}

fn run(program: &Path, arguments: &str, url: &str) -> Outcome<Value> {
    let arguments = arguments
        .split(' ')
        .map(|argument| if argument == "URL" { url } else { argument });
    let output = Command::new(program)
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("{} has failed: {}", program.display(), output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn median(reports: &[Value], row: &Row) -> Outcome<f64> {
    let mut values: Vec<f64> = reports
        .iter()
        .filter_map(|report| report[row.figure].as_f64())
        .collect();
    values.sort_by(f64::total_cmp);
    let value = values
        .get(values.len() / 2)
        .ok_or_else(|| format!("{} was not reported", row.figure))?;
    Ok(value / row.unit)
}

/// The server that only writes; ended when dropped.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(folder: &Path) -> Outcome<Self> {
        let program: PathBuf = folder.join("bench-server");
        let mut process = Command::new(program)
            .args(["100000", "100000"])
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take().ok_or("the server has no output")?;
        let mut url = String::new();
        BufReader::new(output).read_line(&mut url)?;
        Ok(Self {
            process,
            url: url.trim().to_owned(),
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
