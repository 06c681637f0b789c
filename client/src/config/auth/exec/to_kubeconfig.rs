//! A plugin as the field `exec` of a kubeconfig.

use super::{ExecPlugin, InteractiveMode};
use crate::config::auth::source::absolute;
use serde_json::{Value, json};

/// The name of a cluster's extension with data for plugins.
pub(crate) const EXTENSION: &str = "client.authentication.k8s.io/exec";

impl ExecPlugin {
    pub(crate) fn to_kubeconfig(&self) -> Value {
        let command = self.command.display().to_string();
        // A name without a separator is looked up in PATH.
        let command = match command.contains(std::path::is_separator) {
            true => absolute(&self.command),
            false => command,
        };
        let variables: Vec<_> = self
            .env
            .iter()
            .map(|(name, value)| json!({"name": name, "value": value}))
            .collect();
        let mut exec = json!({
            "apiVersion": self.version.as_str(),
            "command": command,
            "args": self.args,
            "env": variables,
            "interactiveMode": match self.interactive_mode {
                InteractiveMode::Never => "Never",
                InteractiveMode::IfAvailable => "IfAvailable",
                InteractiveMode::Always => "Always",
            },
            "provideClusterInfo": self.provide_cluster_info,
        });
        if let Some(hint) = &self.install_hint {
            exec["installHint"] = hint.as_str().into();
        }
        exec
    }

    /// The cluster's extension with the data for the plugin.
    pub(crate) fn to_cluster_extension(&self) -> Option<Value> {
        let config = self.cluster_config.as_ref()?;
        Some(json!({"name": EXTENSION, "extension": config}))
    }
}
