//! A server whose responses a test makes up.

use crate::common::{Folder, run};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Output;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

pub(super) const LEVELS: &str = "/debug/api_priority_and_fairness/dump_priority_levels";
pub(super) const REQUESTS: &str = "/debug/api_priority_and_fairness/dump_requests";
pub(super) const METRICS: &str = "/metrics";
pub(super) const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

/// A response.
#[derive(Clone)]
pub(super) struct Answer {
    code: u16,
    /// Lines that end with CRLF.
    headers: String,
    body: String,
}

impl Answer {
    pub(super) fn new(kind: &str, body: String) -> Self {
        Self {
            code: 200,
            headers: format!("content-type: {kind}\r\n"),
            body,
        }
    }

    pub(super) fn text(body: &str) -> Self {
        Self::new("text/plain", body.to_owned())
    }

    pub(super) fn json(value: &Value) -> Self {
        Self::new("application/json", value.to_string())
    }

    /// An error of the server.
    pub(super) fn error(code: u16, message: &str) -> Self {
        let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code});
        Self {
            code,
            ..Self::json(&status)
        }
    }

    pub(super) fn header(mut self, line: &str) -> Self {
        self.headers.push_str(&format!("{line}\r\n"));
        self
    }
}

/// The responses by the beginning of the path, each for one request; the last one stays. The longest beginning counts.
#[derive(Default)]
struct State {
    answers: BTreeMap<String, Vec<Answer>>,
    /// The number of requests for each path.
    seen: BTreeMap<String, usize>,
}

/// A server on its own port, and a kubeconfig file for it. Paths without a response do not exist.
pub(super) struct MadeUp {
    pub(super) address: String,
    pub(super) folder: Folder,
    state: Arc<(Mutex<State>, Condvar)>,
}

impl MadeUp {
    /// A server that is its whole control plane.
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let state = Arc::<(Mutex<State>, Condvar)>::default();
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), state) = (stream, Arc::clone(&shared)) else {
                    return;
                };
                std::thread::spawn(move || respond(&stream, &state));
            }
        });
        let folder = Folder::new();
        folder.file(
            "kubeconfig",
            format!(
                "apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{{name: a, cluster: {{server: 'http://{address}'}}}}]\ncontexts: [{{name: a, context: {{cluster: a}}}}]\n"
            ),
        );
        let server = Self {
            address,
            folder,
            state,
        };
        server.set_slices(&[slice("IPv4", &["127.0.0.1"], server.port())]);
        server
    }

    pub(super) fn port(&self) -> u16 {
        let (_, port) = self.address.rsplit_once(':').unwrap();
        port.parse().unwrap()
    }

    /// Sets the response for the paths that begin with `path`.
    pub(super) fn set(&self, path: &str, answer: Answer) {
        self.set_each(path, vec![answer]);
    }

    /// Sets the responses for one request after the other.
    pub(super) fn set_each(&self, path: &str, answers: Vec<Answer>) {
        let mut state = self.state.0.lock().unwrap();
        state.answers.insert(path.to_owned(), answers);
    }

    /// Sets the EndpointSlices of the control plane.
    pub(super) fn set_slices(&self, slices: &[Value]) {
        let list = json!({"kind": "EndpointSliceList", "apiVersion": "discovery.k8s.io/v1", "items": slices});
        self.set(SLICES, Answer::json(&list));
    }

    /// Waits until so many more requests for a path have come.
    #[cfg(target_os = "linux")]
    pub(super) fn wait_for(&self, path: &str, more: usize) {
        let (state, changed) = &*self.state;
        let count = |state: &State| state.seen.get(path).copied().unwrap_or_default();
        let state = state.lock().unwrap();
        let until = count(&state) + more;
        let (_state, result) = changed
            .wait_timeout_while(state, Duration::from_secs(60), |state| count(state) < until)
            .unwrap();
        assert!(!result.timed_out(), "no more requests for {path}");
    }

    /// Runs a command on this server.
    pub(super) fn run(&self, arguments: &[&str]) -> Output {
        let kubeconfig = self.folder.path("kubeconfig");
        run(&[arguments, &["--kubeconfig", &kubeconfig]].concat())
    }
}

/// An EndpointSlice of API servers, which also have a port for something else.
pub(super) fn slice(family: &str, addresses: &[&str], port: impl Into<Value>) -> Value {
    let endpoints = addresses
        .iter()
        .map(|address| json!({"addresses": [address]}));
    json!({
        "addressType": family,
        "endpoints": endpoints.collect::<Vec<_>>(),
        "ports": [{"name": "http", "port": port.into()}, {"name": "metrics", "port": 1}],
    })
}

fn respond(mut stream: &TcpStream, (state, changed): &(Mutex<State>, Condvar)) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    while lines.next().is_some_and(|line| !line.is_empty()) {}
    let path = first.split([' ', '?']).nth(1).unwrap().to_owned();
    let mut state = state.lock().unwrap();
    let answers = state.answers.iter_mut().rev();
    let answers = answers.filter(|(beginning, _)| path.starts_with(beginning.as_str()));
    let answer = match answers.max_by_key(|(beginning, _)| beginning.len()) {
        Some((_, answers)) if answers.len() > 1 => answers.remove(0),
        Some((_, answers)) => answers[0].clone(),
        None => Answer::error(404, "the server could not find the requested resource"),
    };
    *state.seen.entry(path).or_default() += 1;
    changed.notify_all();
    drop(state);
    let Answer {
        code,
        headers,
        body,
    } = answer;
    let response = format!(
        "HTTP/1.1 {code} Made-Up\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    // The client may have gone.
    let _written = stream.write_all(response.as_bytes());
}

/// A priority level as a server reports it.
#[derive(Clone)]
pub(super) struct Level {
    pub(super) name: String,
    pub(super) in_use: i64,
    pub(super) waiting: i64,
    pub(super) rejected: i64,
    pub(super) limit: i64,
}

/// A level with a nominal limit of 20 seats.
pub(super) fn level(name: &str, in_use: i64, waiting: i64, limit: i64) -> Level {
    Level {
        name: name.to_owned(),
        in_use,
        waiting,
        rejected: 10 * waiting,
        limit,
    }
}

/// The dump of levels. `rejected` replaces their rejected requests.
pub(super) fn dump(levels: &[Level], rejected: Option<i64>) -> Answer {
    let mut text = "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests\n".to_owned();
    for level in levels {
        let (name, rejected) = (&level.name, rejected.unwrap_or(level.rejected));
        let (waiting, executing) = (level.waiting, level.in_use);
        text.push_str(&format!(
            "{name}, 1, false, false, {waiting}, {executing}, 9, {rejected}, 0, 0\n"
        ));
    }
    Answer::text(&text)
}

impl MadeUp {
    /// Sets the levels. Of the rejected requests, none are in the next reading.
    pub(super) fn set_levels(&self, levels: &[Level]) {
        self.set_each(LEVELS, vec![dump(levels, Some(0)), dump(levels, None)]);
        let mut metrics = String::new();
        for Level {
            name,
            in_use,
            limit,
            ..
        } in levels
        {
            for (metric, value) in [
                ("current_limit_seats", *limit),
                ("nominal_limit_seats", 20),
                ("current_executing_seats", *in_use),
            ] {
                metrics.push_str(&format!(
                    "apiserver_flowcontrol_{metric}{{priority_level=\"{name}\"}} {value}\n"
                ));
            }
        }
        self.set(METRICS, Answer::text(&metrics));
    }

    /// Sets the flows of the flow schema `service-accounts`: level, flow distinguisher, executing and waiting requests.
    pub(super) fn set_flows(&self, flows: &[(&str, &str, usize, usize)]) {
        let mut text = "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime\n".to_owned();
        for (level, flow, executing, waiting) in flows {
            let places = std::iter::repeat_n(-1, *executing).chain(0..*waiting as i64);
            for place in places {
                text.push_str(&format!(
                    "{level}, service-accounts, 7, {place}, {flow}, 2026-11-20T15:57:05.399662206Z\n"
                ));
            }
        }
        self.set(REQUESTS, Answer::text(&text));
    }
}
