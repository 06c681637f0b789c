//! The option `--feature-gates`, as kube-apiserver has it.

use crate::failure::Failure;
use crate::output::Streams;
use k8s_flowcontrol::rules::seats::{Estimator, FeatureGate};

/// The feature gates of the server.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct FeatureGateArgs {
    /// The feature gates of the server that differ from the defaults of its release, as in its option with this name.
    /// ConsistentListFromCache, SizeBasedListCostEstimate and WatchList change the seats of requests
    #[arg(long, value_name = "NAME=BOOL", value_delimiter = ',', value_parser = setting)]
    feature_gates: Vec<(String, bool)>,
}

/// A feature gate and whether it is on, in the spellings that a server reads.
pub(crate) fn setting(text: &str) -> Result<(String, bool), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("a feature gate has the form NAME=true or NAME=false")?;
    let is_on = match value.trim() {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => true,
        "0" | "f" | "F" | "false" | "FALSE" | "False" => false,
        other => return Err(format!("`{other}` is neither true nor false")),
    };
    Ok((name.trim().to_owned(), is_on))
}

impl FeatureGateArgs {
    /// Changes an estimator. Gates that do not change estimates of its release are ignored with a warning.
    pub(crate) fn apply(
        &self,
        mut estimator: Estimator,
        streams: &mut Streams,
    ) -> Result<Estimator, Failure> {
        let release = estimator.release();
        for (name, is_on) in &self.feature_gates {
            match name.parse::<FeatureGate>() {
                Ok(gate) => {
                    let default = gate.default_in(release);
                    if default.is_none() {
                        let text = format!("{gate} does not change seats in Kubernetes {release}");
                        streams.err.warning(&text)?;
                    } else if !gate.can_change_in(release) && default != Some(*is_on) {
                        let text = format!(
                            "{gate} is locked in Kubernetes {release}: a server does not start with this value"
                        );
                        streams.err.warning(&text)?;
                    }
                    estimator = estimator.with(gate, *is_on);
                }
                Err(error) => streams.err.warning(&error.to_string())?,
            }
        }
        Ok(estimator)
    }
}
