//! Talking to a cluster: which one, which objects, and reading and writing them in the API version of the requests.

mod apply_dry_run;
mod clusters;
mod connect;
mod control_plane;
mod fields;
mod follow;
mod live;
mod manifest;
mod notices;
mod server_seats;
mod target;
mod write;

pub(crate) use apply_dry_run::{apply_dry_run, apply_own};
pub(crate) use clusters::{ClustersArgs, LiveOrFiles, Named};
pub(crate) use connect::{ClusterArgs, block_on, block_on_to_the_end, own_user, timeout};
pub(crate) use control_plane::{ApiServer, ControlPlane, at_once};
pub(crate) use fields::{age, dangling, name, shares, stanza, title, word};
pub(crate) use follow::{Follow, Followed};
pub(crate) use k8s_flowcontrol_analysis::ownership::owner;
pub(crate) use live::{Live, LiveArgs, all_objects, release_of};
pub(crate) use manifest::{Manifest, no_objects};
pub(crate) use server_seats::{SeatsArg, ServerSeats, seats};
pub(crate) use target::{Target, TargetArgs, Unfound, kinds_named};
pub(crate) use write::{
    Deed, FIELD_MANAGER, ServerSideArg, WriteArgs, dropped_message, field_manager, foreign_owner,
    is_built_in,
};
