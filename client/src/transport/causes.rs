//! The errors within an error.

use super::TransportError;
use std::error::Error as StdError;
use std::io;

pub(crate) type Source = dyn StdError + 'static;

/// The error and its causes, from the outermost to the innermost.
pub(crate) fn causes(error: &Source) -> impl Iterator<Item = &Source> {
    std::iter::successors(Some(error), |error| cause(*error))
}

/// The first error of a type.
pub(crate) fn find<E: StdError + 'static>(error: &Source) -> Option<&E> {
    causes(error).find_map(|error| error.downcast_ref())
}

/// Whether there is an error of a type for which `is` holds.
pub(super) fn any<E: StdError + 'static>(error: &Source, is: fn(&E) -> bool) -> bool {
    causes(error)
        .filter_map(|error| error.downcast_ref())
        .any(is)
}

/// The cause, also of errors that return another one as their source, or none.
fn cause(error: &Source) -> Option<&Source> {
    if let Some(error) = error.downcast_ref::<TransportError>() {
        return Some(&*error.source);
    }
    if let Some(within) = error.downcast_ref().and_then(io::Error::get_ref) {
        return Some(within);
    }
    error.source().or_else(|| of_socks(error))
}

#[cfg(feature = "socks")]
fn of_socks(error: &Source) -> Option<&Source> {
    use hyper_util::client::legacy::connect::{HttpConnector, proxy::SocksV5};
    use tower_service::Service;
    type SocksError = <SocksV5<HttpConnector> as Service<http::Uri>>::Error;

    match error.downcast_ref()? {
        SocksError::Inner(error) => Some(error),
        SocksError::Io(error) => Some(error),
        _ => None,
    }
}

#[cfg(not(feature = "socks"))]
fn of_socks(_error: &Source) -> Option<&Source> {
    None
}
