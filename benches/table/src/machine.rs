//! The machine, the versions, and how busy other programs keep it.

use crate::{MAX_OTHERS, Outcome};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use std::process::Command;
use std::time::{Duration, Instant};

/// The crates whose versions the tables name.
const CRATES: [&str; 5] = ["kube", "k8s-openapi", "serde_json", "tokio", "reqwest"];

/// The sentence of the tables about the machine.
pub(crate) struct Machine(String);

impl Machine {
    pub(crate) fn describe() -> Outcome<Self> {
        let field = |path: &str, name: &str| {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let line = text.lines().find(|line| line.starts_with(name));
            line.and_then(|line| line.split_once(':'))
                .map(|(_, value)| value.trim().to_owned())
                .unwrap_or_default()
        };
        let memory = field("/proc/meminfo", "MemTotal");
        let kilobytes: f64 = memory.trim_end_matches(" kB").parse().unwrap_or(0.0);
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let release = kernel.split(['-', '\n']).next().unwrap_or_default();
        let lock = std::fs::read_to_string("Cargo.lock")?;
        let versions = CRATES.map(|name| format!("{name} {}", version(&lock, name)));
        Ok(Self(format!(
            "{}, {} (family {}, model {}), {} cores, {:.0} GB, Linux {release}, {}; {}; commit {}",
            jiff::Timestamp::now().strftime("%Y-%m-%d"),
            field("/proc/cpuinfo", "model name"),
            field("/proc/cpuinfo", "cpu family"),
            field("/proc/cpuinfo", "model\t"),
            cores(),
            kilobytes / 1e6,
            output("rustc", &["--version"])?
                .split(" (")
                .next()
                .unwrap_or_default(),
            versions.join(", "),
            output("git", &["describe", "--always", "--dirty"])?.trim(),
        )))
    }

    /// The line above a table.
    pub(crate) fn line(&self, runs: &str, others: &f64) -> String {
        let state = match *others > MAX_OTHERS {
            true => format!(
                "**busy machine**: other programs took {:.0} % of the processors",
                others * 100.0
            ),
            false => "idle machine".to_owned(),
        };
        format!("{}; {runs}; {state}.", self.0)
    }
}

fn version<'a>(lock: &'a str, name: &str) -> &'a str {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let (_, rest) = lock.split_once(&entry).unwrap_or_default();
    rest.split('"').next().unwrap_or_default()
}

fn output(program: &str, arguments: &[&str]) -> Outcome<String> {
    let output = Command::new(program).args(arguments).output()?;
    Ok(String::from_utf8(output.stdout)?)
}

/// The share of the processors that programs take for so long.
pub(crate) fn others(time: Duration) -> Outcome<f64> {
    let usage = Usage::now()?;
    std::thread::sleep(time);
    usage.others()
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The processor time of all programs, and that of this one with its children that have ended.
pub(crate) struct Usage {
    wall: Instant,
    all: f64,
    own: f64,
}

impl Usage {
    pub(crate) fn now() -> Outcome<Self> {
        // Hundredths of seconds: user, nice, system, idle, waiting for a disk, interrupts, and stolen by the host.
        let stat = std::fs::read_to_string("/proc/stat")?;
        let line = stat.lines().next().unwrap_or_default();
        let ticks = line.split_whitespace().skip(1).take(8);
        let ticks: Vec<f64> = ticks.map(str::parse).collect::<Result<_, _>>()?;
        let all = ticks.iter().sum::<f64>() - ticks.iter().skip(3).take(2).sum::<f64>();
        Ok(Self {
            wall: Instant::now(),
            all: all / 100.0,
            own: cpu(UsageWho::RUSAGE_SELF)? + cpu(UsageWho::RUSAGE_CHILDREN)?,
        })
    }

    /// The share of the processors that other programs took since.
    pub(crate) fn others(&self) -> Outcome<f64> {
        let now = Self::now()?;
        let seconds = (now.all - self.all) - (now.own - self.own);
        let available = self.wall.elapsed().as_secs_f64() * cores() as f64;
        Ok((seconds / available).max(0.0))
    }
}

/// CPU seconds of this program, or of its children that have ended.
pub(crate) fn cpu(who: UsageWho) -> Outcome<f64> {
    let usage = getrusage(who)?;
    let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}
