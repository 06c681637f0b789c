//! Test data that needs old versions: files that are named for the version of their objects.

use crate::{Finding, Migration, Rule, Settings, Severity};
use std::path::Path;

/// Whether a file is named for the old version of its objects, in a folder of test data: tests of other versions need it unchanged.
pub(super) fn is_test_data(outcome: &Migration, path: &Path, settings: Settings) -> bool {
    let in_tests = path.parent().is_some_and(|folder| {
        folder.components().any(|part| {
            let name = part.as_os_str().to_string_lossy().to_ascii_lowercase();
            let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
            matches!(name.as_str(), "fixture" | "fixtures" | "testdata")
        })
    });
    let name = path.file_name().map(|name| name.to_string_lossy());
    let name = name.unwrap_or_default().to_ascii_lowercase();
    let is_named_for = |from: &str| {
        let version = from.rsplit('/').next().unwrap_or(from);
        name.match_indices(version).any(|(at, _)| {
            !name[at + version.len()..].starts_with(|next: char| next.is_ascii_alphanumeric())
        })
    };
    let versions = outcome.objects.iter().map(|object| object.from.as_deref());
    let mut old = versions.filter(|from| *from != Some(settings.to.api_version()));
    let first = old.next().flatten();
    let is_named = |from: Option<&str>| from.is_some_and(is_named_for);
    in_tests && is_named(first) && old.all(is_named)
}

/// The note that stands for the changes of test data.
pub(super) fn kept_test_data(outcome: &Migration) -> Finding {
    let first = outcome.objects.first();
    let from = first.and_then(|object| object.from.as_deref());
    let from = from.unwrap_or("its version");
    let message = format!(
        "the name of this test data says that its objects are in {from}: it is not changed"
    );
    Finding::new(
        Severity::Note,
        Rule::Generated,
        first.map_or(0, |object| object.offset),
        message,
    )
}
