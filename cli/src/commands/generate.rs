//! `generate`: Rust types of an API group from the OpenAPI document of a cluster.

use crate::cluster::{ClusterArgs, block_on};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Streams;
use k8s_flowcontrol::{Client, Error};
use k8s_flowcontrol_codegen::Generator;
use std::io::Write;
use std::path::PathBuf;

/// Generate Rust types of any API group from the OpenAPI document of a cluster
///
/// Reads /openapi/v3 of the group and version, or /openapi/v2 of older servers, and writes one module per version or package
/// and a `mod.rs`. The types need the crate `k8s-flowcontrol-types` as their runtime.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, disable_version_flag = true)]
pub(crate) struct Args {
    /// The API group, such as `apps`; `core` for pods and other core resources
    #[arg(long)]
    group: String,

    /// The version of the group
    #[arg(long)]
    version: String,

    /// The folder for the modules; unchanged files are not written
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// The Rust path of the runtime crate
    #[arg(long, value_name = "PATH", default_value = "::k8s_flowcontrol_types")]
    runtime: String,

    #[command(flatten)]
    cluster: ClusterArgs,
}

const EXAMPLES: &str = "\
Examples:
  # Leases, as the module `generated`
  kubectl flowcontrol generate --group coordination.k8s.io --version v1 --out src/generated

  # The same without a cluster, from a file
  k8s-flowcontrol-codegen generate --spec openapi.json --out src/generated";

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let text = block_on(async {
        let client = args.cluster.client().await?;
        document(&client, &args.group, &args.version).await
    })?;
    let text = String::from_utf8_lossy(&text);
    let name = format!("{}-{}.json", args.group, args.version);
    let generated = Generator::new()
        .document(&name, &text)
        .map(|generator| generator.runtime(&args.runtime))
        .map(|generator| generator.select(&args.group, Some(&args.version)))
        .and_then(|generator| generator.generate())
        .map_err(|error| Failure::input(error.to_string()))?;
    for (file, changed) in generated.write(&args.out).map_err(Failure::input)? {
        let state = if changed { "written" } else { "unchanged" };
        writeln!(streams.out, "{state}  {}", file.display())?;
    }
    Ok(Exit::Success)
}

/// The OpenAPI document of the group and version.
async fn document(client: &Client, group: &str, version: &str) -> Result<Vec<u8>, Failure> {
    let path = match group {
        "" | "core" => format!("api/{version}"),
        group => format!("apis/{group}/{version}"),
    };
    let found = get(client, &format!("/openapi/v3/{path}")).await?;
    if let Some(text) = found {
        return Ok(text);
    }
    if let Some(index) = get(client, "/openapi/v3").await? {
        return Err(unpublished(group, version, &published(&index)));
    }
    let found = get(client, "/openapi/v2").await?;
    found.ok_or_else(|| unpublished(group, version, &[]))
}

/// The document at the path; none if the server does not have it.
async fn get(client: &Client, path: &str) -> Result<Option<Vec<u8>>, Error> {
    match client.get_raw(path).accept("application/json").await {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The groups and versions in the index of documents; empty if the index is malformed.
fn published(index: &[u8]) -> Vec<String> {
    let index: serde_json::Value = serde_json::from_slice(index).unwrap_or_default();
    let paths = index["paths"].as_object().into_iter().flatten();
    paths
        .filter_map(|(path, _)| match *path.split('/').collect::<Vec<_>>() {
            ["api", version] => Some(format!("core/{version}")),
            ["apis", group, version] => Some(format!("{group}/{version}")),
            _ => None,
        })
        .collect()
}

/// The error for a group and version without a document, with a hint about existing documents.
fn unpublished(group: &str, version: &str, published: &[String]) -> Failure {
    let group = if group.is_empty() { "core" } else { group };
    let message = format!("the server publishes no document of {group}/{version}");
    let of_group: Vec<&str> = published
        .iter()
        .filter(|other| {
            other
                .strip_prefix(group)
                .is_some_and(|v| v.starts_with('/'))
        })
        .map(String::as_str)
        .collect();
    let offered = match of_group.as_slice() {
        [] => published.join(", "),
        of_group => of_group.join(", "),
    };
    let failure = Failure::new(Exit::Cluster, message);
    match offered.as_str() {
        "" => failure,
        offered => failure.hint(format!("it publishes {offered}")),
    }
}
