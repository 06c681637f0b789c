//! The configuration of a cluster around the objects of a table.

use crate::cluster::{ApiServer, Live, SeatsArg, all_objects};
use crate::commands::top::Reading;
use crate::failure::Failure;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::rules::limits::{LevelLimits, ServerLimits};
use k8s_flowcontrol_analysis::lint::{Configuration, Finding, Severity, lint};

/// All objects together, and the state of the API server that responds.
pub(super) struct Overview {
    /// The seats of each level; none if the seats of the server are unknown.
    limits: Option<ServerLimits>,
    /// The current load, if it was requested.
    pub(super) load: Option<Reading>,
    findings: Vec<Finding>,
    /// The source of the seats, or the reason why they are unknown.
    pub(super) notes: Vec<String>,
}

impl Overview {
    pub(super) async fn read(live: &Live, seats: SeatsArg, is_live: bool) -> Result<Self, Failure> {
        let client = &live.client;
        let (schemas, levels) = all_objects(client).await?;
        let release = live.release().await?;
        let mut notes = Vec::new();
        let seats = match seats.live(client, &levels, release).await {
            Ok(seats) => {
                notes.push(seats.to_string());
                Some(seats.seats)
            }
            Err(failure) => {
                notes.push(format!("{failure}; `--server-seats` gives the number"));
                None
            }
        };
        let load = match is_live {
            true => Some(Reading::take(&ApiServer::of_cluster(client.clone())).await?),
            false => None,
        };
        let mut configuration = Configuration::cluster(&schemas, &levels, release);
        if let Some(seats) = seats {
            configuration = configuration.concurrency_limit(seats);
        }
        let mut findings = lint(&configuration);
        findings.retain(|finding| finding.severity <= Severity::Warning);
        Ok(Self {
            limits: seats.map(|seats| ServerLimits::new(&levels, seats, release)),
            load,
            findings,
            notes,
        })
    }

    /// The seats of a level.
    pub(super) fn limits(&self, level: &str) -> Option<&LevelLimits> {
        self.limits.as_ref()?.level(level)
    }

    /// The worst finding about an object, or `ok`.
    pub(super) fn health(&self, kind: Kind, name: &str) -> String {
        let mut findings = self.findings.iter();
        let worst = findings.find(|finding| finding.kind == kind && finding.name == name);
        worst.map_or_else(
            || "ok".to_owned(),
            |finding| format!("{}: {}", finding.severity, finding.rule),
        )
    }
}
