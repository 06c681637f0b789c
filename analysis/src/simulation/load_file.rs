//! A load that a person describes in YAML or JSON.

use super::load::{Arrivals, Client, Load, ServiceTime};
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
use k8s_flowcontrol_rules::queueing::Work;
use k8s_flowcontrol_rules::seats::{Estimator, LevelBounds, Request, Stored};
use k8s_flowcontrol_text::yaml_to_json;
use serde::{Deserialize, Deserializer, de};
use std::fmt;
use std::time::Duration;

/// A load that a person describes: how long clients send requests, and groups of clients.
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
/// - {name: reports, user: alice, resource: pods, verb: list, clients: 2, executes: 100ms, constant: true}
/// ")?;
/// let server = FlowController::new(&[], &[], 600, Release::NEWEST, Duration::ZERO)?;
/// let load = file.load(&server, &LevelBounds::new(&[], 600, Release::NEWEST), &Estimator::new(Release::NEWEST));
/// let report = simulate(server, &load, 1, |_| ());
/// assert_eq!(report.levels.iter().map(|level| level.counts.dispatched).sum::<u64>(), 200);
///
/// let error = LoadFile::read(b"{duration: 10s, clients: [{user: alice, resource: pods}]}").unwrap_err();
/// assert_eq!(error.to_string(), "clients[0]: give either rate or clients");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoadFile {
    duration: Time,
    clients: Vec<Group>,
}

#[derive(Clone, Debug, Deserialize)]
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

/// The reason why a load file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidLoad(String);

impl fmt::Display for InvalidLoad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidLoad {}

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
    /// Reads the file, YAML or JSON. A field that is not known is an error.
    ///
    /// # Errors
    /// The text is not YAML, or a field is not as the [type](Self) describes it.
    pub fn read(text: &[u8]) -> Result<Self, InvalidLoad> {
        let json = yaml_to_json(text).map_err(|error| InvalidLoad(error.to_string()))?;
        let load: Self = serde_json::from_str(&json).map_err(|error| {
            // The position is one in the converted text.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            InvalidLoad(match message.split_once("expected struct ") {
                Some(("invalid type: null, ", _)) => "the file is empty".to_owned(),
                Some((found, _)) => format!("{found}expected a mapping of fields"),
                None => message.to_owned(),
            })
        })?;
        for (index, group) in load.clients.iter().enumerate() {
            if let Some(problem) = group.problem() {
                return Err(InvalidLoad(format!("clients[{index}]: {problem}")));
            }
        }
        Ok(load)
    }

    /// The load for a server, which decides about seats that the file does not give.
    pub fn load(
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
            let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
            let (resource, group) = resource.split_once('.').unwrap_or((resource, ""));
            request.is_resource_request = true;
            request.api_group = group.to_owned();
            request.resource = resource.to_owned();
            request.subresource = subresource.to_owned();
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
