//! The requests and the servers of a simulation.

use super::audit::Logs;
use super::explain::MOST;
use crate::cluster::ServerSeats;
use crate::failure::Failure;
use crate::objects::Objects;
use crate::output::{clear_progress, show_progress};
use k8s_flowcontrol::Release;
use k8s_flowcontrol::rules::controller::FlowController;
use k8s_flowcontrol::rules::seats::{Estimator, LevelBounds};
use k8s_flowcontrol_analysis::simulation::{
    self, Load, LoadFile, Progress, Recorded, Recording, Report, RequestTrace,
};
use std::time::Duration;

/// A server that is idle, and the seats that it estimates.
pub(super) struct Server {
    controller: FlowController,
    bounds: LevelBounds,
    estimator: Estimator,
}

impl Server {
    pub(super) fn new(
        objects: &Objects,
        seats: &ServerSeats,
        release: Release,
    ) -> Result<Self, Failure> {
        let (schemas, levels) = (&objects.flow_schemas, &objects.levels);
        let controller = FlowController::new(schemas, levels, seats.seats, release, Duration::ZERO)
            .map_err(|error| {
                Failure::input(format!("cannot simulate the priority levels: {error}"))
            })?;
        Ok(Self {
            controller,
            bounds: LevelBounds::new(levels, seats.seats, release),
            estimator: Estimator::new(release),
        })
    }

    pub(super) fn recording(self) -> Recording {
        Recording::new(self.controller, self.bounds, self.estimator)
    }

    fn load(&self, file: &LoadFile) -> Load {
        file.load(&self.controller, &self.bounds, &self.estimator)
    }
}

/// The requests, and the servers with one or two configurations.
pub(super) enum Input {
    Load(LoadFile, Vec<Server>),
    Logs(Box<Logs>),
}

impl Input {
    /// The times of the first and the last request, in microseconds since 1970; none for generated requests.
    pub(super) fn period_us(&self) -> Option<(i64, i64)> {
        match self {
            Self::Load(..) => None,
            Self::Logs(logs) => logs.period_us(),
        }
    }

    /// The result for each server.
    pub(super) fn simulate(self, seed: u64) -> Result<Vec<Report>, Failure> {
        match self {
            Self::Load(file, servers) => {
                let run = |server: Server| {
                    let load = server.load(&file);
                    with_progress(|show| simulation::simulate(server.controller, &load, seed, show))
                };
                Ok(servers.into_iter().map(run).collect())
            }
            Self::Logs(logs) => logs.replay(|recording, requests| {
                with_progress(|show| recording.replay(requests, show))
            }),
        }
    }

    /// The traces of a flow's first requests on each server.
    pub(super) fn explain(
        self,
        flow: (&str, &str),
        seed: u64,
    ) -> Result<Vec<RequestTrace>, Failure> {
        match self {
            Self::Load(file, servers) => {
                let explain = |server: Server| {
                    let load = server.load(&file);
                    simulation::explain(server.controller, &load, seed, flow, MOST)
                };
                Ok(servers.into_iter().flat_map(explain).collect())
            }
            Self::Logs(logs) => {
                let explain =
                    |recording: Recording, requests: &mut dyn Iterator<Item = Recorded>| {
                        recording.explain(requests, flow, MOST)
                    };
                Ok(logs.replay(explain)?.concat())
            }
        }
    }
}

/// Simulates, and shows on a terminal how far it has come.
fn with_progress(run: impl FnOnce(&mut dyn FnMut(Progress)) -> Report) -> Report {
    let report = run(&mut |progress| {
        let (at, requests) = (progress.at.as_secs_f64(), progress.requests);
        show_progress(format_args!("simulated {at:.1} s, {requests} requests"));
    });
    clear_progress();
    report
}
