//! Requests under faults: retries, timeouts, broken connections and bodies, conflicts, waits.
//!
//! - `retries`: the failed requests that are sent again, against faults of the embedded server
//! - `cancelling`: futures that are dropped at each of their await points
//! - `cancelling_operations`: the futures of the public face for that
//! - `cancelling_plugins`: the same for the processes of credential plugins
//! - `cancelling_servers`: the same for the start, the upgrade and the stop of servers
//! - `connections`: connections that fail, break or are reused, against scripted listeners
//! - `bodies`: empty, truncated, compressed and late bodies
//! - `http2`: many requests on one connection, dead connections, requests rejected without processing
//! - `errors`: the texts of errors and of their chains, the errors of layers
//! - `effects`: which attempt at a write may have taken effect
//! - `failed_status`: a successful response with the `Status` of a failure
//! - `headers`: many response headers, and responses that cannot be read
//! - `budget`: the retry budget of a client
//! - `promises`: the two promises of the retry policy, against random sequences of faults
//! - `lean`: lists and watches without managed fields
//! - `layers`: default headers, hooks, layers
//! - `observing`: the hook for metrics, and `tracing` spans
//! - `other_servers`: servers of another kind, or that expect another scheme
//! - `paths`: paths and bodies of requests, names that are not sent
//! - `pacing`: adaptive concurrency
//! - `raw`: raw requests, streamed bodies, the headers of responses
//! - `replaying`: recordings of exchanges, and tests without a server that replay them
//! - `subresources`: logs, tokens and patches of subresources
//! - `transports`: custom transports
//! - `updating`: `update_with`
//! - `waiting`: `wait_for`

mod bodies;
mod budget;
mod cancelling;
mod cancelling_operations;
#[cfg(unix)]
mod cancelling_plugins;
mod cancelling_servers;
mod connections;
mod effects;
mod endless_lists;
mod errors;
mod failed_status;
mod headers;
mod http2;
mod layers;
mod lean;
mod observing;
mod other_servers;
mod pacing;
mod paths;
mod promises;
mod raw;
mod releases;
mod replaying;
mod retries;
mod script;
mod subresources;
mod support;
mod transports;
mod updating;
mod waiting;
