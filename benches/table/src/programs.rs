//! The programs that measure: one process for each piece of work, bounded in time.

use crate::Outcome;
use crate::machine::cpu;
use bench_data::peak_memory;
use nix::sys::resource::UsageWho;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The time of one piece of work.
const MAX_TIME: Duration = Duration::from_secs(90);
/// The objects and events of the server.
const OBJECTS: usize = 100_000;

/// The command line that was built before.
pub(crate) const COMMAND_LINE: &str = "../target/release/kubectl-flowcontrol";

pub(crate) struct Programs {
    folder: PathBuf,
    deadline: Instant,
    server: Option<Server>,
}

/// How a program ended.
pub(crate) struct Ended {
    pub(crate) output: String,
    pub(crate) cpu: f64,
    /// The peak of the resident memory in MB.
    pub(crate) peak: f64,
    pub(crate) code: Option<i32>,
}

impl Programs {
    pub(crate) fn new(deadline: Instant) -> Outcome<Self> {
        let program = std::env::current_exe()?;
        Ok(Self {
            folder: program.parent().map(Path::to_path_buf).unwrap_or_default(),
            deadline,
            server: None,
        })
    }

    /// The last line of a program, which is its report, or `None` when its time was over or it has failed.
    pub(crate) fn report(&mut self, work: &str) -> Outcome<Option<Value>> {
        let mut words = work.split(' ');
        let name = words.next().unwrap_or_default();
        let mut command = Command::new(self.folder.join(name));
        for word in words {
            match word {
                "URL" => command.arg(&self.server()?.url),
                "TLS-URL" => command.arg(&self.server()?.tls_url),
                "kubeconfig" => {
                    let kubeconfig = self.server()?.kubeconfig.clone();
                    command.env("KUBECONFIG", kubeconfig).arg(word)
                }
                "PROGRAM" => command.arg(COMMAND_LINE),
                word => command.arg(word),
            };
        }
        let Some(ended) = self.run(command)? else {
            eprintln!("{work}: no time left");
            return Ok(None);
        };
        if ended.code != Some(0) {
            eprintln!("{work} has failed");
            return Ok(None);
        }
        let line = ended.output.lines().last().unwrap_or_default();
        Ok(Some(serde_json::from_str(line)?))
    }

    /// Runs a program to its end, or `None` when its time is over.
    pub(crate) fn run(&self, mut command: Command) -> Outcome<Option<Ended>> {
        let end = self.deadline.min(Instant::now() + MAX_TIME);
        if Instant::now() >= end {
            return Ok(None);
        }
        command.stdin(Stdio::null());
        let before = cpu(UsageWho::RUSAGE_CHILDREN)?;
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take();
        let reader = std::thread::spawn(move || {
            let mut text = String::new();
            output.map(|mut output| output.read_to_string(&mut text));
            text
        });
        let mut peak: f64 = 0.0;
        let status = loop {
            peak = peak.max(peak_memory(child.id()));
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if Instant::now() >= end {
                child.kill()?;
                child.wait()?;
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        Ok(Some(Ended {
            output: reader.join().unwrap_or_default(),
            cpu: cpu(UsageWho::RUSAGE_CHILDREN)? - before,
            peak,
            code: status.code(),
        }))
    }

    /// The path of a program of this workspace.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Whether the time is over.
    pub(crate) fn time_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn server(&mut self) -> Outcome<&Server> {
        let server = match self.server.take() {
            Some(server) => server,
            None => Server::start(&self.folder)?,
        };
        Ok(self.server.insert(server))
    }

    /// Ends the server, if there is one.
    pub(crate) fn end_servers(&mut self) {
        self.server = None;
    }
}

/// The server that only writes; ended when dropped.
struct Server {
    process: Child,
    url: String,
    tls_url: String,
    kubeconfig: String,
}

impl Server {
    fn start(folder: &Path) -> Outcome<Self> {
        let count = OBJECTS.to_string();
        let mut process = Command::new(folder.join("bench-server"))
            .args([&count, &count])
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take().ok_or("the server has no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let mut words = line.split_whitespace().map(str::to_owned);
        let mut word = || words.next().ok_or("the server has not started");
        Ok(Self {
            url: word()?,
            tls_url: word()?,
            kubeconfig: word()?,
            process,
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_file(&self.kubeconfig);
    }
}
