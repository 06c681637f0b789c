//! Notices about a configuration that works, although a part of it does not.

use std::fmt;

/// Reports a fault that fails no request, as a warning of `tracing`.
pub(crate) fn notice(fault: &impl fmt::Display) {
    tracing::warn!(target: "k8s_flowcontrol::config", "{fault}");
}
