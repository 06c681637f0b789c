//! Files with the bearer tokens of users.

use crate::failure::Failure;
use crate::input::read_text;
use crate::output::warn;
use k8s_flowcontrol_server::token_warnings;
use std::path::Path;

/// Reads a file with tokens, and prints the warnings of kube-apiserver about its records.
/// Errors: if the file cannot be read.
pub(crate) fn read_tokens(file: &Path) -> Result<String, Failure> {
    let text = read_text(file)?;
    for (line, warning) in token_warnings(&text) {
        warn(&format!("{}:{line}: {warning}", file.display()))?;
    }
    Ok(text)
}
