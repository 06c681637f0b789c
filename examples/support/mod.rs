//! The server of the examples, and their output.
#![allow(dead_code, reason = "each example uses a part")]

use k8s_flowcontrol::Resource;
use k8s_flowcontrol::api::{v1, v1beta3};
use k8s_flowcontrol::client::Client;
use k8s_flowcontrol::meta::ObjectMeta;
use k8s_flowcontrol::watch::WatchEvent;
use k8s_flowcontrol_server::ApiServer;
use std::error::Error;
use std::fmt;

/// The result of `main`. An error is printed as text.
pub(crate) type Outcome = Result<(), Failure>;

/// The error of an example.
pub(crate) struct Failure(Box<dyn Error + Send + Sync>);

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A client, and its embedded server unless KUBECONFIG names a cluster.
///
/// The server stops when it is dropped. Its release serves v1 and v1beta3.
pub(crate) async fn connect() -> Result<(Client, Option<ApiServer>), Failure> {
    if std::env::var_os("KUBECONFIG").is_some() {
        let client = Client::try_default().await?;
        println!("Talking to the cluster at {}", client.config().server_url());
        return Ok((client, None));
    }
    let server = ApiServer::builder().kubernetes("1.31").start().await?;
    println!(
        "KUBECONFIG is not set: talking to an embedded Kubernetes 1.31 at {}",
        server.url()
    );
    Ok((Client::from_url(server.url())?, Some(server)))
}

/// The shares of a level as text.
pub(crate) fn shares(spec: &v1::PriorityLevelConfigurationSpec) -> String {
    match &spec.limited {
        Some(limited) => limited.nominal_concurrency_shares.unwrap_or(30).to_string(),
        None => "-".to_owned(),
    }
}

/// Changes the shares of a level.
pub(crate) fn set_shares(level: &mut v1::PriorityLevelConfiguration, shares: i32) {
    let limited = level.spec.limited.get_or_insert_default();
    limited.nominal_concurrency_shares = Some(shares);
}

/// Prints levels as a table.
pub(crate) fn print_levels<'a>(
    levels: impl IntoIterator<Item = &'a v1::PriorityLevelConfiguration>,
) {
    println!("  {:<18}{:<9}{:>6}", "LEVEL", "TYPE", "SHARES");
    for level in levels {
        println!(
            "  {:<18}{:<9}{:>6}",
            level.name(),
            level.spec.r#type,
            shares(&level.spec)
        );
    }
}

/// Prints schemas as a table, in the order in which a server matches them.
pub(crate) fn print_schemas(mut schemas: Vec<v1::FlowSchema>) {
    schemas.sort_by_key(|schema| (schema.spec.matching_precedence, schema.name().to_owned()));
    println!("\n  {:<30}{:>10}  LEVEL", "SCHEMA", "PRECEDENCE");
    for schema in &schemas {
        let precedence = schema.spec.matching_precedence.unwrap_or(1000);
        let level = &schema.spec.priority_level_configuration.name;
        println!("  {:<30}{precedence:>10}  {level}", schema.name());
    }
}

/// Prints an event of a watch.
pub(crate) fn print_event<K: Resource>(event: &WatchEvent<K>) {
    match event {
        WatchEvent::Added { object, .. } => println!("  ADDED    {} {}", K::KIND, object.name()),
        WatchEvent::Modified { object, .. } => println!("  MODIFIED {} {}", K::KIND, object.name()),
        WatchEvent::Deleted { object, .. } => println!("  DELETED  {} {}", K::KIND, object.name()),
        other => println!("  {other:?}"),
    }
}

/// Prints one line: the action, and the level's resulting shares and annotations.
pub(crate) fn print_shares(done: &str, level: &v1::PriorityLevelConfiguration) {
    print_line(done, &level.spec, &level.metadata);
}

/// Prints the same line for a level in v1beta3. Its spec has the same type.
pub(crate) fn print_v1beta3(done: &str, level: &v1beta3::PriorityLevelConfiguration) {
    print_line(done, &level.spec, &level.metadata);
}

fn print_line(done: &str, spec: &v1::PriorityLevelConfigurationSpec, metadata: &ObjectMeta) {
    let annotations: Vec<&str> = metadata.annotations.keys().map(String::as_str).collect();
    let line = format!(
        "  {done:<22} {:>3} shares  {}",
        shares(spec),
        annotations.join(", ")
    );
    println!("{}", line.trim_end());
}
