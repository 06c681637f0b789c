//! Audit logs as they are delivered: every format in every command, files that are followed, and batches of webhooks.

mod follow;
mod formats;
mod options;
mod webhook;

use crate::common::{program, schema};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const ARGUMENTS: [&str; 5] = ["traffic", "-o", "json", "--interval", "1"];
/// A longer wait is an error.
const PATIENCE: Duration = Duration::from_secs(60);

/// The end of a request now, in the form of kube-apiserver.
fn event(id: &str, user: &str, code: u16) -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = jiff::Timestamp::from_second(now.as_secs() as i64).unwrap();
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": id,
        "stage": "ResponseComplete", "requestURI": "/api/v1/namespaces/acme-ns/pods?labelSelector=acme-label", "verb": "list",
        "user": {"username": user, "groups": ["system:authenticated", "acme-group"]}, "sourceIPs": ["192.0.2.7"], "userAgent": "acme-tool/1.2",
        "objectRef": {"resource": "pods", "namespace": "acme-ns", "apiVersion": "v1"}, "responseStatus": {"code": code},
        "requestReceivedTimestamp": format!("{now:.6}"), "stageTimestamp": format!("{now:.6}"),
    })
}

fn line(id: usize) -> String {
    format!("{}\n", event(&format!("id-{id}"), "alice", 200))
}

fn lines(ids: std::ops::Range<usize>) -> String {
    ids.map(line).collect()
}

/// `traffic` as a process, which is killed when it is dropped.
struct Live {
    child: Child,
    out: Lines,
    err: Lines,
}

/// The lines of a stream, as they come.
#[derive(Clone, Default)]
struct Lines(Arc<(Mutex<VecDeque<String>>, Condvar)>);

impl Lines {
    fn read(stream: impl std::io::Read + Send + 'static) -> Self {
        let lines = Self::default();
        let shared = lines.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                let (queue, changed) = &*shared.0;
                queue.lock().unwrap().push_back(line);
                changed.notify_all();
            }
        });
        lines
    }

    /// The first line that is `wanted`, which comes sometime. Lines before it are dropped.
    fn until<T>(&self, what: &str, mut wanted: impl FnMut(&str) -> Option<T>) -> T {
        let end = Instant::now() + PATIENCE;
        let (queue, changed) = &*self.0;
        let mut lines = queue.lock().unwrap();
        let mut last = String::new();
        loop {
            while let Some(line) = lines.pop_front() {
                if let Some(found) = wanted(&line) {
                    return found;
                }
                last = line;
            }
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "no {what}; last: {last}");
            lines = changed.wait_timeout(lines, left).unwrap().0;
        }
    }
}

impl Live {
    fn start(arguments: &[&str]) -> Self {
        let mut command = program();
        command.args(ARGUMENTS).args(arguments);
        Self::spawn(command)
    }

    /// A process whose files cannot become larger than some KiB.
    #[cfg(unix)]
    fn start_limited(arguments: &[&str], blocks: u32) -> Self {
        let mut command = std::process::Command::new("sh");
        // Without the signal (25, SIGXFSZ) such a write is an error.
        let script = format!("ulimit -S -f {blocks}; trap '' 25; exec \"$@\"");
        command.args(["-c", &script, "sh"]);
        command
            .arg(program().get_program())
            .args(ARGUMENTS)
            .args(arguments);
        command.env_remove("KUBECONFIG").stdin(Stdio::null());
        Self::spawn(command)
    }

    fn spawn(mut command: std::process::Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = Lines::read(child.stdout.take().unwrap());
        let err = Lines::read(child.stderr.take().unwrap());
        Self { child, out, err }
    }

    /// The address of `--listen`.
    fn address(&self) -> String {
        self.err.until("address", |line| {
            let (_, rest) = line.split_once("http://")?;
            Some(rest.split(';').next()?.to_owned())
        })
    }

    /// A summary that has a property.
    fn summary(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.out.until(what, |line| {
            let values = schema::check("traffic --follow", line.as_bytes());
            let summary = values[0]["summary"].clone();
            (summary.is_object() && wanted(&summary)).then_some(summary)
        })
    }

    /// Waits for a number of requests in all.
    fn total(&self, requests: u64) -> Value {
        let what = format!("summary of {requests} requests");
        self.summary(&what, |summary| summary["totalRequests"] == requests)
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends as with Ctrl-C or at the end of a pod.
    #[cfg(unix)]
    fn stop(mut self) {
        let id = self.child.id().to_string();
        let sent = std::process::Command::new("kill").arg(id).status().unwrap();
        assert!(sent.success());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _waited = self.child.wait();
    }
}
