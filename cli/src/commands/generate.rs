//! `generate`: a command of earlier versions, which is now the generator's own.

use crate::failure::Failure;

/// Generate Rust types of an API group: a command of the generator, `k8s-flowcontrol-codegen`
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true, disable_version_flag = true)]
pub(crate) struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<String>,
}

/// The error that names the new command.
pub(crate) fn moved() -> Failure {
    Failure::usage("`generate` is now a command of the generator, k8s-flowcontrol-codegen").hint(
        "kubectl get --raw /openapi/v3/apis/GROUP/VERSION | k8s-flowcontrol-codegen generate --spec - --out DIR",
    )
}
