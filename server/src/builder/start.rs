//! The start of a server.

use super::Builder;
use crate::auth::CurrentTokens;
use crate::data::Data;
use crate::endpoints::Endpoints;
use crate::faults::Faults;
use crate::http::{Context, Turns};
use crate::kinds::Kinds;
use crate::listening::{hosts_of, reachable};
use crate::preset;
use crate::server::ApiServer;
use crate::start_error::{Cause, StartError};
use crate::state::State;
#[cfg(feature = "tls")]
use crate::tls::Authority;
use crate::tls::Tls;
use k8s_flowcontrol_types::GROUP;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::watch;

impl Builder {
    /// Starts the server, which is ready when this returns.
    ///
    /// # Errors
    /// [`StartError`] for an unknown release, invalid tokens, built-in kinds in [`serve`](Self::serve),
    /// [`objects`](Self::objects) that the server rejects, a data folder that cannot be used, an
    /// [`address`](Self::address) without protection, or a port that is in use.
    pub async fn start(self) -> Result<ApiServer, StartError> {
        let release = self.release.map_err(Cause::Release)?;
        let listening = self.listening;
        let tokens = listening.parse_tokens()?;
        listening.check_exposure(self.tls && tokens.is_some())?;
        let ip = listening.address.ip();
        let tls = self.tls.then(|| make_tls(ip)).transpose()?;
        if let Some(built_in) = self.others.iter().find(|kind| kind.group == GROUP) {
            return Err(Cause::BuiltIn(built_in.kind).into());
        }
        let kinds = Kinds::new(release, self.settings, self.others);
        let mut state = State::new(
            kinds,
            self.history,
            self.record_requests,
            self.bookmark_interval,
        );
        state.seats = self.server_seats.unwrap_or(state.seats);
        if self.flow_control {
            state.throttle();
        }
        let mut presets = self.objects;
        if let Some(folder) = self.data_dir {
            let opened = Data::open(&folder);
            let (data, loaded) = opened.map_err(|error| Cause::Data(error.into()))?;
            if loaded.revision.is_some() {
                presets.clear();
            }
            state.keep_in(data, loaded);
        }
        for object in presets {
            let object = object.map_err(Cause::NotJson)?;
            preset::create(&state, object)?;
        }
        let (listener, address) = listening.bind().await?;
        let hosts = hosts_of(ip, listening.any_host);
        let address = reachable(address);
        let (stop, stopping) = watch::channel(false);
        let context = Context {
            state: Arc::new(state),
            tokens: CurrentTokens::new(tokens),
            faults: Arc::new(Faults::new(self.faults)),
            hosts,
            patience: self.connections.header_timeout,
            turns: Turns::default(),
            address: address.to_string().into(),
            endpoints: Arc::new(Endpoints::new(address, self.peers, self.tls)),
            stopping,
        };
        let passes = self.bootstrap.then_some(self.bootstrap_interval);
        Ok(ApiServer::launch(
            context,
            listener,
            address,
            tls,
            stop,
            passes,
            self.connections,
        ))
    }
}

#[cfg(feature = "tls")]
fn make_tls(address: IpAddr) -> Result<Tls, Cause> {
    Tls::new(&make_authority(address)?).map_err(Cause::Tls)
}

#[cfg(feature = "tls")]
pub(crate) fn make_authority(address: IpAddr) -> Result<Authority, Cause> {
    Authority::generate(address).map_err(Cause::Tls)
}

#[cfg(not(feature = "tls"))]
fn make_tls(_address: IpAddr) -> Result<Tls, Cause> {
    // Unreachable: `Builder::tls` does not exist without the feature.
    Err(Cause::Tls("this build has no TLS".into()))
}
