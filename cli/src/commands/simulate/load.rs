//! The file of `--load`.

use crate::documents::read;
use crate::failure::Failure;
use crate::resource_name::ResourceName;
use k8s_flowcontrol::rules::controller::FlowController;
use k8s_flowcontrol::rules::matching::{RequestAttributes, User};
use k8s_flowcontrol::rules::queueing::Work;
use k8s_flowcontrol::rules::seats::{Estimator, LevelBounds, Request, Stored};
use k8s_flowcontrol_analysis::simulation::{Arrivals, Client, Load, ServiceTime};
use k8s_flowcontrol_text::yaml_to_json;
use serde::{Deserialize, Deserializer, de};
use std::path::Path;
use std::time::Duration;

/// The description of the file for the help.
pub(super) const HELP: &str = "\
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
    deadline: 60s              # of a request; it waits for at most a quarter, and one minute
    retries: 10                # after 429, each after a second
    from: 10s                  # the time of the first requests
    until: 20s                 # no new requests after that";

/// The file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct LoadFile {
    duration: Time,
    clients: Vec<Group>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Group {
    name: Option<String>,
    user: String,
    #[serde(default = "one")]
    users: u32,
    #[serde(default)]
    groups: Vec<String>,
    #[serde(default = "get")]
    verb: String,
    resource: Option<String>,
    #[serde(default)]
    namespace: String,
    path: Option<String>,
    rate: Option<f64>,
    clients: Option<u32>,
    think: Option<Time>,
    executes: Option<Time>,
    #[serde(default)]
    constant: bool,
    seats: Option<u32>,
    final_seats: Option<u32>,
    additional_latency: Option<Time>,
    #[serde(default)]
    query: String,
    objects: Option<u64>,
    #[serde(default)]
    object_size: u64,
    #[serde(default)]
    watches: u64,
    deadline: Option<Time>,
    retries: Option<u32>,
    from: Option<Time>,
    until: Option<Time>,
}

fn one() -> u32 {
    1
}

fn get() -> String {
    "get".into()
}

/// A time such as `250ms`.
#[derive(Clone, Copy, Debug)]
struct Time(Duration);

/// The longest time: 366 days. A server adjusts its limits every ten seconds of it.
const LONGEST: Duration = Duration::from_secs(8784 * 3600);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let time = duration(&text).ok_or_else(|| {
            de::Error::custom(format!(
                "{text:?} is not a time such as 250ms, 1.5s, 2m or 1h"
            ))
        })?;
        match time > LONGEST {
            true => Err(de::Error::custom(format!(
                "{text:?} is longer than 8784h, the longest time of a simulation"
            ))),
            false => Ok(Self(time)),
        }
    }
}

fn duration(text: &str) -> Option<Duration> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic() || c == 'µ')?;
    let (number, unit) = text.split_at(unit);
    let seconds = match unit {
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()
}

impl LoadFile {
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let source = read(file, true)?;
        let wrong = |problem: &dyn std::fmt::Display| {
            Failure::input(format!("{}: {problem}", source.name))
                .hint("`kubectl flowcontrol help simulate` describes the load file")
        };
        let json = yaml_to_json(&source.text).map_err(|error| wrong(&error))?;
        let load: Self = serde_json::from_str(&json).map_err(|error| {
            // The position is one in the converted text.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            wrong(&match message.split_once("expected struct ") {
                Some(("invalid type: null, ", _)) => "the file is empty".to_owned(),
                Some((found, _)) => format!("{found}expected a mapping of fields"),
                None => message.to_owned(),
            })
        })?;
        for (index, group) in load.clients.iter().enumerate() {
            if let Some(problem) = group.problem() {
                return Err(wrong(&format!("clients[{index}]: {problem}")));
            }
        }
        Ok(load)
    }

    /// The load for a server, which decides about seats that the file does not give.
    pub(super) fn load(
        &self,
        server: &FlowController,
        bounds: &LevelBounds,
        estimator: &Estimator,
    ) -> Load {
        let client = |(index, group): (usize, &Group)| {
            let mut client = group.client(index);
            if group.seats.is_none() {
                let level = server
                    .classify(&client.request)
                    .map(|found| found.priority_level.to_owned());
                client.work = group.estimate(&client.request, level, bounds, estimator);
            }
            client
        };
        Load {
            duration: self.duration.0,
            clients: self.clients.iter().enumerate().map(client).collect(),
        }
    }
}

impl Group {
    fn problem(&self) -> Option<&'static str> {
        if self.resource.is_some() == self.path.is_some() {
            return Some("give either resource or path");
        }
        if self.rate.is_some() == self.clients.is_some() {
            return Some("give either rate or clients");
        }
        if self.rate.is_some_and(|rate| !(rate > 0.0 && rate <= 1e7)) {
            return Some("rate must be above 0 and at most 10000000");
        }
        if self.think.is_some() && self.clients.is_none() {
            return Some("think needs clients");
        }
        if self.seats.is_none() && (self.final_seats.is_some() || self.additional_latency.is_some())
        {
            return Some("finalSeats and additionalLatency need seats");
        }
        if self.users == 0 || self.users > 1_000_000 {
            return Some("users must be between 1 and 1000000");
        }
        if self.clients.is_some_and(|clients| clients > 1_000_000) {
            return Some("clients must be at most 1000000");
        }
        None
    }

    fn user(&self, number: u32) -> User {
        let name = self.user.replace("{}", &number.to_string());
        match self.groups.is_empty() {
            true => User::named(name),
            false => User::authenticated(name, &self.groups),
        }
    }

    fn client(&self, index: usize) -> Client {
        let name = self.name.clone();
        let name = name.unwrap_or_else(|| format!("clients[{index}]"));
        let request = self.request();
        let mut client = Client::new(name, request);
        if self.users > 1 {
            client.users = (1..=self.users).map(|number| self.user(number)).collect();
        }
        let time = |time: Option<Time>, default: Duration| time.map_or(default, |time| time.0);
        let executes = time(self.executes, Duration::from_millis(10));
        client.service_time = match self.constant {
            true => ServiceTime::Constant(executes),
            false => ServiceTime::Exponential(executes),
        };
        client.arrivals = match (self.clients, self.rate) {
            (Some(clients), _) => Arrivals::Closed {
                clients,
                think: time(self.think, Duration::ZERO),
            },
            (None, rate) => Arrivals::Open {
                per_second: rate.unwrap_or_default(),
            },
        };
        client.work = Work {
            initial_seats: self.seats.unwrap_or(1),
            final_seats: self.final_seats.unwrap_or(0),
            additional_latency: time(self.additional_latency, Duration::ZERO),
        };
        client.deadline = time(self.deadline, client.deadline);
        client.retries = self.retries.unwrap_or(client.retries);
        client.start = time(self.from, client.start);
        client.end = time(self.until, client.end);
        client
    }

    fn request(&self) -> RequestAttributes {
        let mut request = RequestAttributes {
            user: self.user(1),
            verb: self.verb.clone(),
            ..RequestAttributes::default()
        };
        if let Some(path) = &self.path {
            request.path.clone_from(path);
        }
        if let Some(resource) = &self.resource {
            ResourceName::of(resource).fill(&mut request);
            request.namespace.clone_from(&self.namespace);
        }
        request
    }

    fn estimate(
        &self,
        request: &RequestAttributes,
        level: Option<String>,
        bounds: &LevelBounds,
        estimator: &Estimator,
    ) -> Work {
        let stored = match self.objects {
            Some(objects) => Stored::Known {
                objects,
                average_bytes: self.object_size,
            },
            None => Stored::NotFound,
        };
        let estimate = estimator.estimate(&Request {
            verb: &request.verb,
            resource: &request.resource,
            subresource: &request.subresource,
            name: "",
            query: &self.query,
            stored,
            watches: self.watches,
            max_seats: level.and_then(|level| bounds.of(&level)),
        });
        let seats = |seats: u64| u32::try_from(seats).unwrap_or(u32::MAX);
        Work {
            initial_seats: seats(estimate.initial_seats),
            final_seats: seats(estimate.final_seats),
            additional_latency: estimate.additional_latency,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::duration;
    use std::time::Duration;

    #[test]
    fn times_have_units() {
        assert_eq!(duration("250ms"), Some(Duration::from_millis(250)));
        assert_eq!(duration("1.5s"), Some(Duration::from_millis(1500)));
        assert_eq!(duration("2m"), Some(Duration::from_secs(120)));
        for wrong in ["", "5", "s", "-1s", "1d", "NaNs", "1e99h"] {
            assert_eq!(duration(wrong), None, "{wrong}");
        }
    }
}
