//! The readings of all API servers.

use super::reading::Reading;
use crate::cluster::ControlPlane;
use crate::failure::Failure;
use std::time::Instant;
use tokio::task::JoinSet;

/// The readings of all servers at one moment.
pub(super) struct Readings {
    pub(super) servers: Vec<Reading>,
    /// The problems of servers that were not read.
    pub(super) notes: Vec<String>,
    pub(super) at: Instant,
}

impl Readings {
    /// Computes the rates since earlier readings.
    pub(super) fn rates_since(&mut self, earlier: &Self) {
        let elapsed = self.at.duration_since(earlier.at);
        for reading in &mut self.servers {
            reading.rates_since(&earlier.servers, elapsed);
        }
    }
}

/// Reads all servers at the same time.
///
/// # Errors
/// If none can be read. If only some can be read, the notes have the errors of the others.
pub(super) async fn read_all(control_plane: &ControlPlane) -> Result<Readings, Failure> {
    let mut reads = JoinSet::new();
    for (index, server) in control_plane.servers.iter().cloned().enumerate() {
        reads.spawn(async move {
            let reading = match Reading::take(&server).await {
                Ok(reading) => Ok(reading.with_flows(&server).await),
                Err(failure) => Err(failure),
            };
            (index, reading, server.address)
        });
    }
    let mut results = reads.join_all().await;
    results.sort_by_key(|(index, ..)| *index);
    let mut notes: Vec<_> = control_plane.notes().collect();
    let (mut servers, mut failed) = (Vec::new(), None);
    for (_, result, address) in results {
        match result {
            Ok(reading) => servers.push(reading),
            Err(failure) => {
                notes.push(format!("{address}: {failure}"));
                failed = Some(failure);
            }
        }
    }
    match failed {
        Some(failure) if servers.is_empty() => Err(failure),
        _ => Ok(Readings {
            servers,
            notes,
            at: Instant::now(),
        }),
    }
}
