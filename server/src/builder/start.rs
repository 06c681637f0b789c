//! The start of a server.

use super::Builder;
use crate::auth::{CurrentTokens, Secret, Tokens};
use crate::data::Data;
use crate::endpoints::Endpoints;
use crate::faults::Faults;
use crate::http::{Context, Hosts, Turns};
use crate::kinds::Kinds;
use crate::preset;
use crate::server::ApiServer;
use crate::start_error::{Cause, StartError};
use crate::state::State;
#[cfg(feature = "tls")]
use crate::tls::Authority;
use crate::tls::Tls;
use k8s_flowcontrol_types::GROUP;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;
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
        let tokens = self
            .tokens
            .map(|Secret(text)| Tokens::parse(&text))
            .transpose()
            .map_err(Cause::Tokens)?;
        check_exposure(self.address, self.tls && tokens.is_some(), self.unprotected)?;
        let tls = self.tls.then(|| make_tls(self.address)).transpose()?;
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
            preset::create(&state, object)?;
        }
        let address = SocketAddr::from((self.address, self.port));
        let listener = TcpListener::bind(address)
            .await
            .map_err(|error| Cause::Bind(address, error))?;
        let address = listener
            .local_addr()
            .map_err(|error| Cause::Bind(address, error))?;
        let hosts = hosts_of(address.ip(), self.any_host);
        let address = reachable(address);
        let (stop, stopping) = watch::channel(false);
        let context = Context {
            state: Arc::new(state),
            tokens: CurrentTokens::new(tokens),
            faults: Arc::new(Faults::new(self.faults)),
            hosts,
            patience: self.header_timeout,
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
            self.header_timeout,
        ))
    }
}

/// # Errors
/// [`StartError::is_unprotected`] for an address that other hosts can reach.
pub(crate) fn check_exposure(
    address: IpAddr,
    is_protected: bool,
    is_allowed: bool,
) -> Result<(), StartError> {
    match address.to_canonical().is_loopback() || is_protected || is_allowed {
        true => Ok(()),
        false => Err(Cause::Unprotected(address).into()),
    }
}

/// The hosts for which a server on this address serves requests.
pub(crate) fn hosts_of(address: IpAddr, any_host: bool) -> Hosts {
    match (any_host, address.to_canonical().is_loopback()) {
        (true, _) => Hosts::Any,
        (false, true) => Hosts::Loopback,
        (false, false) => Hosts::Addresses,
    }
}

/// The address under which a client on this host reaches a server that listens on all addresses.
pub(crate) fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
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
