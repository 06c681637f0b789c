//! How the work grows with the number of objects, events or watches: n, 2n, 4n, and the exponent.

use crate::Outcome;
use crate::comparison::figure;
use crate::programs::{COMMAND_LINE, Programs};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The greatest exponent of CPU seconds, from 2n to 4n.
const MAX_EXPONENT: f64 = 1.15;
/// The greatest exponent of the peak memory of a stream.
const MAX_STREAM_EXPONENT: f64 = 0.15;

/// The further rounds for a row above the limit: a disturbed run is enough to be there.
pub(crate) const MORE_ROUNDS: usize = 4;

/// Work of which there may be more or less.
struct Case {
    work: &'static str,
    /// The first number.
    count: usize,
    /// Whether the work reads a stream, so that its memory stays the same.
    streams: bool,
    run: Run,
}

enum Run {
    /// A piece of work of `bench-rules grow`.
    Library(&'static str),
    /// The kind of the input, and the arguments of the command line with `INPUT` in the place of a file.
    Command(&'static str, &'static str),
}

impl Case {
    fn parse(fields: &[&'static str]) -> Outcome<Self> {
        let (work, count, streams, run) = match *fields {
            [work, count, streams, name] => (work, count, streams, Run::Library(name)),
            [work, count, streams, input, arguments] => {
                (work, count, streams, Run::Command(input, arguments))
            }
            _ => return Err(format!("{fields:?} is not a row").into()),
        };
        Ok(Self {
            work,
            count: count.parse()?,
            streams: streams == "stream",
            run,
        })
    }
}

/// CPU seconds, and the peak of the resident memory in MB.
type Figures = (f64, f64);

pub(crate) fn table(
    rows: &[Vec<&'static str>],
    rounds: usize,
    programs: &mut Programs,
) -> Outcome<String> {
    let mut text = format!(
        "| work | n | CPU seconds of n, 2n, 4n | exponent (at most {MAX_EXPONENT}) | peak MB of n, 2n, 4n |\n|---|---:|---:|---:|---:|\n"
    );
    let folder = std::env::temp_dir().join(format!("bench-growth-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let lines = rows
        .iter()
        .map(|row| line(&Case::parse(row)?, rounds, &folder, programs));
    let lines: Outcome<Vec<_>> = lines.collect();
    std::fs::remove_dir_all(&folder)?;
    text.push_str(&lines?.concat());
    Ok(text)
}

fn line(case: &Case, rounds: usize, folder: &Path, programs: &mut Programs) -> Outcome<String> {
    let factors = [1, 2, 4];
    let mut figures: [Option<Figures>; 3] = [None; 3];
    let is_above = |figures: &[Option<Figures>; 3]| {
        exponents(figures).is_some_and(|(time, _)| time > MAX_EXPONENT)
    };
    let mut round = 0;
    while round < rounds || is_above(&figures) && round < rounds + MORE_ROUNDS {
        round += 1;
        for (known, factor) in figures.iter_mut().zip(factors) {
            let found = measure(case, case.count * factor, folder, programs)?;
            // What disturbs a run makes it slower, never faster.
            let is_better = |found: &Figures| known.is_none_or(|known| found.0 < known.0);
            *known = found.filter(is_better).or(*known);
        }
    }
    let show = |of: fn(&Figures) -> f64| {
        let figures = figures.iter().map(|figures| match figures {
            Some(figures) => figure(of(figures)),
            None => "not measured".to_owned(),
        });
        figures.collect::<Vec<_>>().join("; ")
    };
    let (time, memory) = match exponents(&figures) {
        Some((time, memory)) => (
            format!(
                "{time:.2}{}",
                if time > MAX_EXPONENT { " (missed)" } else { "" }
            ),
            match case.streams {
                true if memory > MAX_STREAM_EXPONENT => " (grows)",
                true => " (flat)",
                false => "",
            },
        ),
        None => (String::new(), ""),
    };
    Ok(format!(
        "| {} | {} | {} | {time} | {}{memory} |\n",
        case.work,
        figure(case.count as f64),
        show(|figures| figures.0),
        show(|figures| figures.1),
    ))
}

/// The exponents of CPU seconds and of memory.
fn exponents(&[_, two, four]: &[Option<Figures>; 3]) -> Option<(f64, f64)> {
    let exponent = |two: f64, four: f64| (four / two).log2();
    two.zip(four)
        .map(|(two, four)| (exponent(two.0, four.0), exponent(two.1, four.1)))
}

fn measure(
    case: &Case,
    count: usize,
    folder: &Path,
    programs: &mut Programs,
) -> Outcome<Option<Figures>> {
    let rules = programs.path("bench-rules");
    let mut command = Command::new(&rules);
    let number = count.to_string();
    match case.run {
        Run::Library(work) => {
            command.args(["grow", work, &number]);
            let Some(ended) = programs.run(command)? else {
                return Ok(None);
            };
            let report = ended.output.lines().last().unwrap_or_default();
            let report: serde_json::Value = serde_json::from_str(report)?;
            let cpu = report["cpu seconds"].as_f64();
            Ok(cpu.map(|cpu| (cpu, ended.peak)))
        }
        Run::Command(kind, arguments) => {
            let input = make(&rules, kind, count, folder)?;
            let arguments = arguments.split(' ').map(|argument| match argument {
                "INPUT" => input.as_os_str(),
                argument => argument.as_ref(),
            });
            let mut command = Command::new(COMMAND_LINE);
            command.args(arguments).stderr(Stdio::null());
            let ended = programs.run(command)?;
            std::fs::remove_file(&input)?;
            match ended {
                // Findings are a success, also those that stop a migration.
                Some(ended) if matches!(ended.code, Some(0 | 1 | 4)) => {
                    Ok(Some((ended.cpu, ended.peak)))
                }
                Some(ended) => Err(format!("{} ended with {:?}", case.work, ended.code).into()),
                None => Ok(None),
            }
        }
    }
}

/// A file of so many objects or events.
fn make(rules: &Path, kind: &str, count: usize, folder: &Path) -> Outcome<PathBuf> {
    let extension = if kind == "audit" { "log" } else { "yaml" };
    let path = folder.join(format!("{kind}-{count}.{extension}"));
    let file = std::fs::File::create(&path)?;
    let mut command = Command::new(rules);
    command.args(["input", kind, &count.to_string()]);
    let status = command.stdout(file).status()?;
    match status.success() {
        true => Ok(path),
        false => Err(format!("{kind} was not made: {status}").into()),
    }
}
