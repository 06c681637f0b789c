//! A load as a file: groups of clients that people describe.

use super::load::{Arrivals, Client, Load, ServiceTime};
use crate::api_resources::ResourceName;
use crate::estimates;
use crate::fields::{InvalidFile, Mapping, Problems, time};
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
use k8s_flowcontrol_rules::queueing::Work;
use k8s_flowcontrol_rules::seats::{Estimator, LevelBounds, Request, Stored};
use k8s_flowcontrol_text::{Content, Node};
use std::time::Duration;

/// The longest time: 366 days. A server adjusts its limits every ten seconds of it.
const LONGEST: Duration = Duration::from_secs(8784 * 3600);
/// The most users or clients of a group.
const MOST: u32 = 1_000_000;
/// The most requests of a group in a second.
const MOST_PER_SECOND: f64 = 1e7;

/// A load that a file describes. [`LoadFile::DESCRIPTION`] has its fields.
///
/// The seats of requests that the file does not give depend on the server, see [`load`](Self::load).
#[derive(Clone, Debug)]
pub struct LoadFile {
    duration: Duration,
    groups: Vec<Group>,
}

/// A group of clients.
#[derive(Clone, Debug)]
struct Group {
    /// The clients, with one seat for each request unless the file gives others.
    client: Client,
    /// The basis of a server's estimate of the seats; `None` if the file gives the seats.
    estimated: Option<Estimated>,
}

#[derive(Clone, Debug)]
struct Estimated {
    query: String,
    stored: Stored,
    watches: u64,
}

const KNOWN: [&str; 24] = [
    "name",
    "user",
    "users",
    "groups",
    "verb",
    "resource",
    "namespace",
    "path",
    "rate",
    "clients",
    "think",
    "executes",
    "constant",
    "seats",
    "finalSeats",
    "additionalLatency",
    "query",
    "objects",
    "objectSize",
    "watches",
    "deadline",
    "retries",
    "from",
    "until",
];

impl LoadFile {
    /// The fields of a load file, as a commented example.
    pub const DESCRIPTION: &str = "\
The load file (YAML or JSON; times such as 250ms, 1.5s or 2m):
  duration: 60s                # how long clients send requests
  clients:                     # groups of clients
  - name: reports
    user: report-{}            # {} is the number of the user
    users: 20                  # how many users take turns; 1 by default
    groups: [reports]
    verb: list                 # get by default
    resource: pods             # RESOURCE[.GROUP][/SUB], or path: /healthz
    namespace: team-a          # all namespaces by default
    rate: 50                   # requests a second at random times, or
    clients: 10                # so many clients, each of which waits for its response,
    think: 100ms               # and then for this time on average
    executes: 200ms            # how long a request executes on average; 10ms by default
    constant: true             # always exactly so long
    seats: 5                   # or what a server estimates from:
    query: limit=500
    objects: 40000             # stored objects of the resource
    objectSize: 10240          # their average size in bytes
    watches: 200               # watches that see a write
    finalSeats: 3              # with seats: after the end,
    additionalLatency: 5ms     # for so long
    deadline: 60s              # of a request; since 1.29 it waits for at most a quarter,
                               # and one minute, before for at most 15s
    retries: 10                # after 429, each after the time of Retry-After
    from: 10s                  # the time of the first requests
    until: 20s                 # no new requests after that";

    /// Reads a load file, in YAML or JSON.
    ///
    /// ```
    /// use k8s_flowcontrol_analysis::simulation::{LoadFile, simulate};
    /// use k8s_flowcontrol_rules::controller::FlowController;
    /// use k8s_flowcontrol_rules::seats::{Estimator, LevelBounds};
    /// use k8s_flowcontrol_types::Release;
    /// use std::time::Duration;
    ///
    /// let file = LoadFile::read(b"
    /// duration: 10s
    /// clients:
    /// - {user: alice, resource: pods, verb: list, objects: 40000, objectSize: 10240, clients: 3, executes: 20ms}
    /// ")?;
    /// let release = Release::NEWEST;
    /// let server = FlowController::new(&[], &[], 600, release, Duration::ZERO)?;
    /// let load = file.load(&server, &LevelBounds::new(&[], 600, release), &Estimator::new(release));
    /// assert_eq!(load.clients[0].work.initial_seats, 10);
    /// let report = simulate(server, &load, 1, |_| ());
    /// assert!(report.requests > 1_000);
    ///
    /// let error = LoadFile::read(b"duration: 1s\nclients:\n- {user: alice, resource: pods, rat: 5}\n").unwrap_err();
    /// assert_eq!(error.problems[0].to_string(), "3:3: clients[0]: give either rate or clients");
    /// assert_eq!(error.problems[1].to_string(), "3:33: clients[0]: unknown field \"rat\"; did you mean \"rate\"?");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidFile`] with every problem, its line and its column.
    pub fn read(text: &[u8]) -> Result<Self, InvalidFile> {
        Problems::read_file(text, "duration and clients", read)
    }

    /// The names of the groups to whose requests flow control does not apply: they are long-running, and no server queues them.
    pub fn without_flow_control(&self) -> Vec<&str> {
        let clients = self.groups.iter().map(|group| &group.client);
        let groups = clients.filter(|client| !client.request.is_subject_to_flow_control());
        groups.map(|client| client.name.as_str()).collect()
    }

    /// The number of groups of clients.
    pub fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// The load for a server, which estimates the seats that the file does not give.
    pub fn load(
        &self,
        server: &FlowController,
        bounds: &LevelBounds,
        estimator: &Estimator,
    ) -> Load {
        let client = |group: &Group| {
            let mut client = group.client.clone();
            if let Some(estimated) = &group.estimated {
                let level = server.classify(&client.request);
                let max_seats = level.and_then(|found| bounds.of(found.priority_level));
                client.work = estimated.work(&client.request, max_seats, estimator);
            }
            client
        };
        Load {
            duration: self.duration,
            clients: self.groups.iter().map(client).collect(),
        }
    }
}

impl Estimated {
    fn work(
        &self,
        request: &RequestAttributes,
        max_seats: Option<u64>,
        estimator: &Estimator,
    ) -> Work {
        let estimate = estimator.estimate(&Request {
            name: "",
            query: &self.query,
            stored: self.stored,
            watches: self.watches,
            max_seats,
            ..estimates::request(request)
        });
        estimates::work(&estimate)
    }
}

fn read(root: Node<'_>, problems: &mut Problems<'_>) -> Option<LoadFile> {
    let fields = Mapping::read(root, "", &["duration", "clients"], problems)?;
    for name in ["duration", "clients"] {
        if fields.get(name).is_none() {
            problems.add(fields.offset, "", format!("lacks {name}"));
        }
    }
    let duration = fields.read_with("duration", problems, |node| match short_time(node)? {
        Duration::ZERO => Err("expected a time above 0".to_owned()),
        time => Ok(time),
    });
    let mut groups = Vec::new();
    match fields.get("clients").map(|node| (node, node.content())) {
        Some((node, Content::Array(nodes))) if nodes.is_empty() => {
            let message = "expected at least one group of clients";
            problems.add(node.span().start, "clients", message);
        }
        Some((_, Content::Array(nodes))) => {
            for (index, node) in nodes.iter().enumerate() {
                groups.extend(group(node, index, problems));
            }
        }
        Some((node, _)) => {
            problems.add(
                node.span().start,
                "clients",
                "expected a list of groups of clients",
            );
        }
        None => {}
    }
    Some(LoadFile {
        duration: duration?,
        groups,
    })
}

/// A time of at most a year.
fn short_time(node: Node<'_>) -> Result<Duration, String> {
    let found = time(node)?;
    match found > LONGEST {
        true => {
            let text = node.as_str().unwrap_or_default();
            Err(format!(
                "{text:?} is longer than 8784h, the longest time of a simulation"
            ))
        }
        false => Ok(found),
    }
}

fn group(node: Node<'_>, index: usize, problems: &mut Problems<'_>) -> Option<Group> {
    let path = format!("clients[{index}]");
    let fields = Mapping::read(node, &path, &KNOWN, problems)?;
    let has = |name: &str| fields.get(name).is_some();
    for (is_wrong, message) in [
        (!has("user"), "lacks user"),
        (
            has("resource") == has("path"),
            "give either resource or path",
        ),
        (has("rate") == has("clients"), "give either rate or clients"),
        (has("think") && !has("clients"), "think needs clients"),
        (
            !has("seats") && (has("finalSeats") || has("additionalLatency")),
            "finalSeats and additionalLatency need seats",
        ),
    ] {
        if is_wrong {
            problems.add(fields.offset, &path, message);
        }
    }
    let mut client = Client::new(
        fields.text("name", problems).unwrap_or(path),
        RequestAttributes::default(),
    );
    let users = users(&fields, problems);
    client.request = request(&fields, users.first(), problems);
    if users.len() > 1 {
        client.users = users;
    }
    let time = |name: &str, default: Duration, problems: &mut Problems<'_>| {
        let found = fields.read_with(name, problems, short_time);
        found.unwrap_or(default)
    };
    let executes = time("executes", Duration::from_millis(10), problems);
    client.service_time = match fields.flag("constant", problems) {
        Some(true) => ServiceTime::Constant(executes),
        _ => ServiceTime::Exponential(executes),
    };
    let rate = fields.number("rate", (0.0, MOST_PER_SECOND), problems);
    client.arrivals = match fields.whole("clients", 1..=MOST, problems) {
        Some(clients) => Arrivals::Closed {
            clients,
            think: time("think", Duration::ZERO, problems),
        },
        None => Arrivals::Open {
            per_second: rate.unwrap_or_default(),
        },
    };
    client.work = Work {
        initial_seats: fields.whole("seats", 0..=u32::MAX, problems).unwrap_or(1),
        final_seats: fields
            .whole("finalSeats", 0..=u32::MAX, problems)
            .unwrap_or(0),
        additional_latency: time("additionalLatency", Duration::ZERO, problems),
    };
    client.deadline = time("deadline", client.deadline, problems);
    client.retries = fields
        .whole("retries", 0..=u32::MAX, problems)
        .unwrap_or(client.retries);
    client.start = time("from", client.start, problems);
    client.end = time("until", client.end, problems);
    let estimated = Estimated {
        // The question mark belongs to the URL.
        query: any_text(&fields, "query", problems)
            .trim_start_matches('?')
            .to_owned(),
        stored: match fields.whole_64("objects", problems) {
            Some(objects) => Stored::Known {
                objects,
                average_bytes: fields.whole_64("objectSize", problems).unwrap_or(0),
            },
            None => Stored::NotFound,
        },
        watches: fields.whole_64("watches", problems).unwrap_or(0),
    };
    let estimated = (!has("seats")).then_some(estimated);
    Some(Group { client, estimated })
}

/// A text, which can be empty.
fn any_text(fields: &Mapping<'_>, name: &str, problems: &mut Problems<'_>) -> String {
    let found = fields.read_with(name, problems, |node| {
        let text = node.as_str().map(str::to_owned);
        text.ok_or_else(|| "expected a text".to_owned())
    });
    found.unwrap_or_default()
}

/// The users of a group; at least one.
fn users(fields: &Mapping<'_>, problems: &mut Problems<'_>) -> Vec<User> {
    let pattern = fields.text("user", problems).unwrap_or_default();
    let number = fields.whole("users", 1..=MOST, problems).unwrap_or(1);
    let groups = fields.read_with("groups", problems, |node| {
        let Content::Array(names) = node.content() else {
            return Err("expected a list of names".to_owned());
        };
        let names = names.iter().map(|name| name.as_str().map(str::to_owned));
        names
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| "expected a list of names".to_owned())
    });
    let groups = groups.unwrap_or_default();
    let user = |number: u32| {
        let name = pattern.replace("{}", &number.to_string());
        match groups.is_empty() {
            true => User::named(name),
            false => User::authenticated(name, &groups),
        }
    };
    (1..=number).map(user).collect()
}

fn request(
    fields: &Mapping<'_>,
    user: Option<&User>,
    problems: &mut Problems<'_>,
) -> RequestAttributes {
    let verb = fields.text("verb", problems);
    let mut request = RequestAttributes {
        user: user.cloned().unwrap_or_default(),
        verb: verb.unwrap_or_else(|| "get".to_owned()),
        ..RequestAttributes::default()
    };
    if let Some(path) = fields.text("path", problems) {
        request.path = path;
    }
    if let Some(resource) = fields.text("resource", problems) {
        let namespace = any_text(fields, "namespace", problems);
        ResourceName::of(&resource).fill(&namespace, "", &mut request);
    }
    request
}
