//! The most used items have a separate example, which rustdoc compiles and runs as a test.

use std::path::Path;

/// The file and the start of the declaration of each item: what a first program, a controller, a test and a check of manifests
/// use.
const ITEMS: &[(&str, &str)] = &[
    ("client/src/send/client.rs", "pub struct Client"),
    ("client/src/send/client.rs", "pub async fn try_default"),
    ("client/src/send/client.rs", "pub fn from_url"),
    ("client/src/send/client.rs", "pub fn with_timeout"),
    ("client/src/verbs/api.rs", "pub struct Api"),
    ("client/src/verbs/api.rs", "pub fn api"),
    ("client/src/verbs/api.rs", "pub fn namespaced_api"),
    ("client/src/verbs/api.rs", "pub fn list"),
    ("client/src/verbs/api.rs", "pub fn get"),
    ("client/src/verbs/api.rs", "pub fn get_opt"),
    ("client/src/verbs/api.rs", "pub fn watch"),
    ("client/src/verbs/api/write.rs", "pub fn create"),
    ("client/src/verbs/api/write.rs", "pub fn replace"),
    ("client/src/verbs/api/write.rs", "pub fn patch"),
    ("client/src/verbs/api/write.rs", "pub fn apply"),
    ("client/src/verbs/api/write.rs", "pub fn delete"),
    ("client/src/verbs/update.rs", "pub fn update_with"),
    ("client/src/verbs/update.rs", "pub fn create_or_update"),
    ("client/src/verbs/list.rs", "pub fn pages"),
    ("client/src/verbs/list.rs", "pub fn items"),
    ("client/src/verbs/raw.rs", "pub fn raw"),
    ("client/src/verbs/dynamic.rs", "pub fn dynamic"),
    ("client/src/verbs/log.rs", "pub fn log"),
    ("client/src/verbs/discovery.rs", "pub fn release"),
    ("client/src/wait/mod.rs", "pub fn wait_for"),
    ("client/src/negotiate/negotiated.rs", "pub fn negotiated"),
    ("client/src/send/hooks.rs", "pub fn on_request"),
    ("client/src/send/hooks.rs", "pub fn with_header"),
    ("client/src/send/hooks.rs", "pub fn layer"),
    ("client/src/send/hooks.rs", "pub fn with_transport"),
    ("client/src/response/decode.rs", "pub struct Response"),
    ("client/src/error/mod.rs", "pub struct Error"),
    ("client/src/config/mod.rs", "pub struct Config"),
    ("client/src/config/builder.rs", "pub struct ConfigBuilder"),
    ("client/src/config/requests.rs", "pub fn with_retry_budget"),
    ("client/src/config/retry.rs", "pub struct RetryPolicy"),
    ("client/src/watch/watcher/mod.rs", "pub fn watcher"),
    ("client/src/watch/store/handle.rs", "pub struct Store"),
    ("client/src/watch/store/builder.rs", "pub fn from_objects"),
    ("client/src/watch/store/index.rs", "pub fn index"),
    ("client/src/watch/store/subscription.rs", "pub fn subscribe"),
    ("client/src/controller/queue.rs", "pub struct WorkQueue"),
    ("types/src/resource.rs", "pub trait Resource"),
    ("types/src/resource.rs", "fn partial"),
    ("types/src/dynamic_object.rs", "pub struct DynamicObject"),
    ("types/src/release.rs", "pub struct Release"),
    ("types/src/ownership.rs", "pub fn extract"),
    ("types/src/ownership/applied.rs", "pub fn is_applied"),
    ("types/src/strict.rs", "pub fn from_value_strict"),
    ("rules/src/write/validate/mod.rs", "pub fn create"),
    ("rules/src/write/validate/verdict.rs", "pub fn of_text"),
    ("rules/src/write/defaults/typed.rs", "fn defaulted"),
    ("rules/src/write/bootstrap.rs", "pub fn objects"),
    ("rules/src/runtime/limits/mod.rs", "pub fn new"),
    ("rules/src/runtime/matching/classifier.rs", "pub fn new"),
    (
        "rules/src/runtime/matching/explanation.rs",
        "pub fn explain",
    ),
    ("analysis/src/lint/mod.rs", "pub fn lint"),
    ("analysis/src/diagnosis/mod.rs", "pub fn diagnose"),
    ("analysis/src/simulation/mod.rs", "pub fn simulate"),
    ("analysis/src/evidence/audit/log.rs", "pub fn read"),
    ("manifests/src/documents/find.rs", "pub fn read"),
    ("manifests/src/migrate/whole_text.rs", "pub fn migrate"),
    ("manifests/src/migrate/settings.rs", "pub struct Settings"),
    ("server/src/server.rs", "pub struct ApiServer"),
    ("server/src/builder.rs", "pub struct Builder"),
];

#[test]
fn the_most_used_items_have_an_example() {
    assert!(ITEMS.len() >= 60);
    let mut without = Vec::new();
    for (file, declaration) in ITEMS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let text = std::fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let is_it = |line: &&str| {
            let rest = line.strip_prefix(declaration);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        let place = lines.iter().position(is_it);
        let place = place.unwrap_or_else(|| panic!("{file} does not have `{declaration}`"));
        let above = lines[..place].iter().rev();
        let mut above = above.take_while(|line| line.starts_with("///") || line.starts_with("#["));
        if !above.any(|line| line.starts_with("/// ```")) {
            without.push(format!("{file}: {declaration}"));
        }
    }
    assert_eq!(without, Vec::<String>::new(), "items without an example");
}

/// The lines of a table of a Cargo.toml.
fn table<'a>(manifest: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let mut lines = manifest.lines();
    lines.find(|line| *line == format!("[{name}]"))?;
    Some(lines.take_while(|line| !line.starts_with('[')).collect())
}

/// docs.rs shows every feature but `generate`, which writes the same code again; so do the listings of public items.
#[test]
fn every_library_is_documented_with_all_its_features() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let listings = read("packaging/public-api");
    let workspace = read("Cargo.toml");
    let members = workspace
        .lines()
        .find(|line| line.starts_with("members = "));
    let members = members.unwrap().split('"').skip(1).step_by(2);
    // `interop` is a separate workspace; programs do not have documentation.
    let libraries = members.chain(["interop"]).filter(|folder| *folder != "cli");
    let mut shown = 0;
    for folder in libraries {
        let manifest = read(&format!("{folder}/Cargo.toml"));
        let name = manifest.lines().find(|line| line.starts_with("name = "));
        let name = name.unwrap().split('"').nth(1).unwrap();
        let features = table(&manifest, "features").unwrap_or_default();
        let features = features
            .iter()
            .filter_map(|line| line.split_once(" = ["))
            .map(|(name, _)| name);
        let features: Vec<&str> = features
            .filter(|name| !["default", "generate"].contains(name))
            .collect();
        let docs = table(&manifest, "package.metadata.docs.rs")
            .unwrap_or_else(|| panic!("{folder}: no metadata of docs.rs"));
        assert!(
            docs.contains(&r#"rustdoc-args = ["--cfg", "docsrs"]"#),
            "{folder}: {docs:?}"
        );
        let list = features
            .iter()
            .map(|name| format!("{name:?}"))
            .collect::<Vec<_>>()
            .join(", ");
        let is_all = docs.contains(&"all-features = true") && !manifest.contains("\ngenerate = [");
        assert!(
            is_all || docs.contains(&format!("features = [{list}]").as_str()),
            "{folder}: {docs:?} lacks one of {features:?}"
        );
        for feature in &features {
            let mut defaults = manifest
                .lines()
                .filter(|line| line.starts_with("default = ["));
            let is_default = defaults.any(|line| line.contains(&format!("{feature:?}")));
            let is_listed = listings.contains(&format!("{name}/{feature}"));
            assert!(
                is_default || is_listed || folder == "interop",
                "packaging/public-api lacks {name}/{feature}"
            );
            shown += 1;
        }
    }
    assert!(shown >= 10, "{shown}");
}
