//! The intents, and the requests of audit logs.

use super::Args;
use super::drift::Earlier;
use crate::audit_logs::{Unsimulated, no_requests, read_logs};
use crate::cluster::{SeatsArg, ServerSeats as LogSeats};
use crate::configuration::Configuration;
use crate::documents::read;
use crate::failure::Failure;
use crate::input;
use crate::memory::{Memory, warn_of};
use crate::output::{Streams, note, warn};
use crate::stored_objects::{MetricsFile, stored_objects};
use k8s_flowcontrol_analysis::metrics::StoredObjects;
use k8s_flowcontrol_analysis::size::{Collector, Intents, Requests, ServerSeats, SizeError};

impl Args {
    /// The intents for the server with the given seats, and the name of their file.
    pub(super) fn read_intents(
        &self,
        earlier: Option<&Earlier>,
    ) -> Result<(String, Intents), Failure> {
        let source = read(&self.intents, true)?;
        let mut intents = Intents::read(&source.text).map_err(|error| {
            let lines = error.problems.iter();
            let lines: Vec<_> = lines
                .map(|problem| format!("{}:{problem}", source.name))
                .collect();
            Failure::input(lines.join("\n"))
                .hint("`kubectl flowcontrol help size` describes the intents file")
        })?;
        if let Some(seats) = self.server_seats {
            let other = match earlier {
                Some(earlier) => stated(&ServerSeats::Known(earlier.seats), seats),
                None => stated(&intents.server, seats),
            };
            if let Some(other) = other {
                let message = format!(
                    "`--server-seats {seats}` contradicts {other} in {}",
                    self.file_of_seats()
                );
                return Err(Failure::usage(message).hint(
                    "remove one of them; `--log-server-seats` gives the seats of the server that wrote audit logs",
                ));
            }
            intents.server = ServerSeats::Known(seats);
        }
        Ok((source.name, intents))
    }

    /// The name of the file that has the seats: the report of an earlier answer, or the intents.
    fn file_of_seats(&self) -> String {
        input::name(self.watch_drift.as_deref().unwrap_or(&self.intents))
    }

    /// The requests of the audit logs, if there are any.
    pub(super) fn read_load(
        &self,
        intents: &Intents,
        earlier: Option<&Earlier>,
        configuration: &Configuration<'_>,
        wrong: impl Fn(SizeError) -> Failure,
        streams: &mut Streams,
    ) -> Result<Option<Requests>, Failure> {
        if self.audit_log.is_empty() {
            return Ok(None);
        }
        let known = match (earlier, &intents.server) {
            (Some(earlier), _) => Some(earlier.seats),
            (None, ServerSeats::Known(seats)) => Some(*seats),
            (None, _) => None,
        };
        let metrics = MetricsFile::read(self.metrics.as_deref())?;
        let seats = self.log_seats(configuration, known, metrics.as_ref())?;
        let text = format!(
            "waits that the logs do not record are estimated for a server with {}",
            seats.of_one()
        );
        note(streams, &text)?;
        let stored = stored_objects(metrics.as_ref(), None)?;
        self.read_requests(configuration, seats.seats, stored, wrong, streams)
            .map(Some)
    }

    /// The seats of the server that wrote the audit logs; `known` are the seats of the server that is sized.
    fn log_seats(
        &self,
        configuration: &Configuration<'_>,
        known: Option<u32>,
        metrics: Option<&MetricsFile>,
    ) -> Result<LogSeats, Failure> {
        let levels = &configuration.objects.levels;
        let of_metrics =
            |metrics| SeatsArg::default().of_metrics(metrics, levels, configuration.release);
        let of_option = |seats: Option<u32>, name| seats.map(|seats| LogSeats::given(seats, name));
        let of_file = known.filter(|_| configuration.cluster.is_none());
        let found = of_option(self.log_server_seats, "--log-server-seats")
            .or_else(|| metrics.and_then(of_metrics))
            .or_else(|| of_option(self.server_seats, "--server-seats"))
            .or_else(|| of_file.map(|seats| LogSeats::given(seats, self.file_of_seats())));
        found.map_or_else(|| configuration.seats(SeatsArg::default()), Ok)
    }

    fn read_requests(
        &self,
        configuration: &Configuration<'_>,
        seats: u32,
        stored: StoredObjects,
        wrong: impl Fn(SizeError) -> Failure,
        streams: &mut Streams,
    ) -> Result<Requests, Failure> {
        let (objects, release) = (&configuration.objects, configuration.release);
        let collector = Collector::new(&objects.flow_schemas, &objects.levels, seats, release);
        let mut collector = collector.map_err(wrong)?;
        let mut memory = Memory::of(objects, release, &stored);
        let mut unsimulated = Unsimulated::default();
        let counts = read_logs(&self.audit_log, streams, |event, _, _| {
            let attributes = event.attributes();
            unsimulated.add(event, &attributes);
            let stored = stored.of(&attributes.api_group, &attributes.resource);
            collector.add(event, &attributes, stored);
            memory.add(event, str::to_owned);
            Ok(())
        })?;
        if counts.requests == 0 {
            return Err(no_requests());
        }
        warn_of(&memory.estimate())?;
        let requests = collector
            .finish()
            .map_err(|error| Failure::input(error.to_string()))?;
        unsimulated.note(streams)?;
        if let Some(factor) = requests.slowdown() {
            warn(&format!(
                "in the logs, requests take {factor:.1} times as long while twice as many execute. Here they do not: check an answer with `kubectl flowcontrol simulate --audit-log LOG --compare ANSWER`, where they do"
            ))?;
        } else if !requests.is_slowdown_known() {
            warn(
                "in the logs, about as many requests execute all the time, so that they do not show whether requests slow each other down. Here they do not: on a busy processor, more seats for one level make the requests of all slower",
            )?;
        }
        Ok(requests)
    }
}

/// The seats of the server in a file, if they differ from the given number.
fn stated(server: &ServerSeats, seats: u32) -> Option<String> {
    match server {
        ServerSeats::Known(other) if *other != seats => Some(format!("{other} seats")),
        ServerSeats::Tiers(_) => Some("server.tiers".to_owned()),
        _ => None,
    }
}
