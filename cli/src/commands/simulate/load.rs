//! The file of `--load`.

use crate::documents;
use crate::failure::Failure;
use k8s_flowcontrol_analysis::simulation::LoadFile;
use std::path::Path;

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

pub(super) fn read(file: &Path) -> Result<LoadFile, Failure> {
    let source = documents::read(file, true)?;
    LoadFile::read(&source.text).map_err(|problem| {
        Failure::input(format!("{}: {problem}", source.name))
            .hint("`kubectl flowcontrol help simulate` describes the load file")
    })
}
