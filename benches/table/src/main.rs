//! Runs the benchmarks and writes the tables of `benches/README.md`, each between two comments that name its part.

mod builds;
mod comparison;
mod growth;
mod machine;
mod parts;
mod programs;
mod readme;

use machine::{Machine, Usage};
use parts::{PARTS, Part};
use programs::Programs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The time after which no further program is started.
const MAX_TIME: Duration = Duration::from_secs(14 * 60);
/// The share of the processors that other programs may take.
const MAX_OTHERS: f64 = 0.05;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome<()> {
    let (mut busy, mut print, mut chosen) = (false, false, Vec::new());
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--busy" => busy = true,
            "--print" => print = true,
            "--help" => {
                println!("{}", help());
                return Ok(());
            }
            name => chosen.push(find(name)?),
        }
    }
    if chosen.is_empty() {
        chosen.extend(PARTS);
    }
    let others = machine::others(Duration::from_secs(2))?;
    if others > MAX_OTHERS && !busy {
        return Err(format!(
            "other programs take {:.0} % of the processors: end them, or mark the figures with --busy",
            others * 100.0
        )
        .into());
    }
    let machine = Machine::describe()?;
    let mut programs = Programs::new(Instant::now() + MAX_TIME)?;
    for part in chosen {
        let usage = Usage::now()?;
        let table = part.table(&mut programs)?;
        // The servers count as other programs until they have ended.
        programs.end_servers();
        let text = format!(
            "{}\n\n{table}",
            machine.line(&part.runs(), &usage.others()?)
        );
        println!("## {}\n\n{text}", part.name);
        if !print {
            readme::write(part.name, &text)?;
        }
    }
    Ok(())
}

fn find(name: &str) -> Outcome<&'static Part> {
    let part = PARTS.iter().find(|part| part.name == name);
    part.ok_or_else(|| format!("{name} is not a part\n\n{}", help()).into())
}

fn help() -> String {
    let mut text = "\
Runs the benchmarks and writes their tables into benches/README.md.

usage: benches/run [--busy] [--print] [PART]...

  --busy   measure on a busy machine too, and mark the figures
  --print  do not write the file

Parts, all of them by default:
"
    .to_owned();
    for part in PARTS {
        text.push_str(&format!("  {:<12} {}\n", part.name, part.about));
    }
    text
}
