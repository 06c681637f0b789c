//! `generate`: Rust types of an API group from what a cluster publishes of it.

use crate::cluster::{self, ClusterArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Streams;
use k8s_flowcontrol::{Client, Error};
use k8s_flowcontrol_codegen::Generator;
use std::io::Write;
use std::path::PathBuf;

/// Write Rust types of any API group, from the OpenAPI document that the cluster publishes
///
/// Reads /openapi/v3 of the group and version (or /openapi/v2 from servers that have no other) and writes one module
/// per version or package, with a `mod.rs`. The types need the crate `k8s-flowcontrol` as their runtime.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, disable_version_flag = true)]
pub(crate) struct Args {
    /// The API group, such as `apps`; `core` for pods and the like
    #[arg(long)]
    group: String,

    /// The version of the group
    #[arg(long)]
    version: String,

    /// The folder for the modules; files that would not change are not touched
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// The Rust path of the runtime crate
    #[arg(long, value_name = "PATH", default_value = "::k8s_flowcontrol")]
    runtime: String,

    #[command(flatten)]
    cluster: ClusterArgs,
}

const EXAMPLES: &str = "\
Examples:
  # Leases, as a module `generated`
  kubectl flowcontrol generate --group coordination.k8s.io --version v1 --out src/generated

  # The same without a cluster, from a file
  k8s-flowcontrol-codegen generate --spec openapi.json --out src/generated";

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let text = cluster::block_on(async {
        let client = args.cluster.client().await?;
        Ok(document(&client, &args.group, &args.version).await?)
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

/// What the server publishes of the group and version.
async fn document(client: &Client, group: &str, version: &str) -> Result<Vec<u8>, Error> {
    let path = match group {
        "" | "core" => format!("/openapi/v3/api/{version}"),
        group => format!("/openapi/v3/apis/{group}/{version}"),
    };
    match client.get_raw(&path).accept("application/json").await {
        Err(error) if error.is_not_found() => {
            let all = client.get_raw("/openapi/v2").accept("application/json");
            // What is missing is the group, if neither is there.
            all.await.map_err(|_| error)
        }
        answer => answer,
    }
}
