//! Flags of a cluster that precede the command, as in `kubectl flowcontrol --context x get`.

use std::ffi::OsString;

/// The flags of [`ClusterArgs`](crate::cluster::ClusterArgs), all of which take a value.
const FLAGS: [&str; 9] = [
    "--as",
    "--as-group",
    "--as-uid",
    "--context",
    "--kubeconfig",
    "--request-timeout",
    "--server",
    "-s",
    "--token",
];
/// The global flag with a value.
const COLOR: &str = "--color";

/// Whether this is a flag of a cluster, such as `--context`.
fn is_flag(word: &str) -> bool {
    FLAGS.contains(&word)
}

/// Moves these flags behind the command, which defines them: a command that uses no cluster then rejects them.
pub(crate) fn behind_the_command(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments = arguments.peekable();
    let mut start: Vec<_> = arguments.next().into_iter().collect();
    let mut moved = Vec::new();
    while let Some(argument) = arguments.peek() {
        let text = argument.to_string_lossy();
        let (flag, value) = match text.split_once('=') {
            Some((flag, _)) => (flag, true),
            None => (&*text, false),
        };
        let into = match flag {
            COLOR => &mut start,
            flag if is_flag(flag) => &mut moved,
            _ => break,
        };
        into.extend(arguments.by_ref().take(if value { 1 } else { 2 }));
    }
    // After all words, because a command can have subcommands. Without a command they do not move, and the
    // error names the first of them.
    let mut rest: Vec<_> = arguments.collect();
    let end = rest.iter().position(|word| word == "--");
    let after = rest.split_off(end.unwrap_or(rest.len()));
    start.extend(rest);
    start.extend(moved);
    start.extend(after);
    start
}
