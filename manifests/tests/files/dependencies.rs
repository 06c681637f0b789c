//! Libraries without the types of the wanted version, and libraries that request a version by themselves.

use super::{examined, write};
use k8s_flowcontrol_manifests::{Finding, Rule};
use k8s_flowcontrol_types::{ApiVersion, Release};

/// The findings about the dependencies of a file.
fn findings(name: &str, text: &str, to: ApiVersion) -> Vec<Finding> {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), name, text);
    let mut files = examined(folder.path(), to);
    let mut findings = files.remove(0).outcome.findings;
    findings.retain(|finding| finding.rule == Rule::Dependency);
    findings
}

/// A file that names a library in a version.
fn file(library: &str, version: &str) -> (&'static str, String) {
    match library {
        "imports of cdk8s" => ("cdk8s.yaml", format!("imports:\n- k8s@{version}\n")),
        name if name.starts_with("k8s.io/") || name.starts_with("sigs.k8s.io/") => {
            ("go.mod", format!("module a\n\nrequire {name} v{version}\n"))
        }
        name if name.starts_with('@') => (
            "package-lock.json",
            format!(
                "{{\"packages\": {{\n\"node_modules/{name}\": {{\n\"version\": \"{version}\"\n}}}}}}\n"
            ),
        ),
        name if name.contains(':') => ("gradle.lockfile", format!("{name}:{version}=classpath\n")),
        name if name.starts_with("KubernetesClient") => (
            "a.csproj",
            format!("<PackageReference Include=\"{name}\" Version=\"{version}\" />\n"),
        ),
        "k8s-openapi" => (
            "Cargo.lock",
            format!("[[package]]\nname = \"k8s-openapi\"\nversion = \"{version}\"\n"),
        ),
        name => ("requirements.txt", format!("{name}=={version}\n")),
    }
}

fn about(library: &str, version: &str, to: ApiVersion) -> Vec<Finding> {
    let (name, text) = file(library, version);
    findings(name, &text, to)
}

/// The greatest version below another one.
fn before(version: &str) -> String {
    let mut numbers: Vec<u32> = version
        .split('.')
        .map(|part| part.parse().unwrap())
        .collect();
    let last = numbers.iter().rposition(|number| *number > 0).unwrap();
    numbers[last] -= 1;
    numbers[last + 1..].fill(99);
    let numbers: Vec<_> = numbers.iter().map(u32::to_string).collect();
    numbers.join(".")
}

/// The table of README.md says what is found.
#[test]
fn the_readme_has_the_libraries() {
    let readme = include_str!("../../README.md");
    // A new Kubernetes release is a reason to look at the libraries again.
    let checked = format!("checked up to Kubernetes {}", Release::NEWEST);
    assert!(readme.contains(&checked), "check the rows again");
    let (_, table) = readme.split_once("| library |").unwrap();
    let rows = table.lines().skip(2);
    let rows: Vec<_> = rows.take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 15);
    for row in rows {
        let [name, types, requests] = row
            .trim_matches('|')
            .split(" | ")
            .map(str::trim)
            .collect::<Vec<_>>()[..]
        else {
            panic!("{row}")
        };
        let name = name.trim_matches('`');
        if types != "no types" {
            let old = before(types);
            let found = about(name, &old, ApiVersion::V1);
            assert_eq!(found.len(), 1, "{name} {old}");
            let message = &found[0].message;
            assert!(
                message.contains("no v1") || message.contains("no types of v1"),
                "{message}"
            );
            assert!(
                found[0].help.as_ref().unwrap().to_string().contains(types),
                "{message}"
            );
            assert_eq!(about(name, types, ApiVersion::V1), [], "{name} {types}");
        }
        let mut requests: Vec<_> = requests.split(", ").collect();
        if requests == ["nothing"] {
            requests.clear();
            assert_eq!(about(name, "9999.0.0", ApiVersion::V1Beta1), [], "{name}");
        }
        for request in requests {
            let (version, since) = request.split_once(" from ").unwrap();
            let since = since.trim_end_matches(" on");
            let requested = |library_version: &str| {
                let to = match version {
                    "v1beta1" => ApiVersion::V1Beta2,
                    _ => ApiVersion::V1Beta1,
                };
                let found = about(name, library_version, to);
                let message = found.first().map_or("", |found| &found.message).to_owned();
                message.contains(&format!("requests {version},"))
            };
            // Every server has v1.
            assert_eq!(requested(since), version != "v1", "{row}");
            assert!(!requested(&before(since)), "{row}");
        }
    }
}

/// The libraries of Kubernetes have the numbers of its releases.
#[test]
fn libraries_of_kubernetes_have_the_versions_of_its_releases() {
    for release in Release::all() {
        let minor = release.minor();
        for to in [
            ApiVersion::V1Beta1,
            ApiVersion::V1Beta2,
            ApiVersion::V1Beta3,
            ApiVersion::V1,
        ] {
            let lacks = minor < to.lifecycle().introduced;
            for (library, version) in [
                ("k8s.io/client-go", format!("0.{minor}.0")),
                ("k8s.io/api", format!("0.{minor}.0")),
                ("imports of cdk8s", format!("1.{minor}.0")),
            ] {
                let found = about(library, &version, to);
                assert_eq!(found.len(), usize::from(lacks), "{library} {version} {to}");
            }
            // A server requests the newest version of its release, which others may not have any more.
            let found = about("k8s.io/apiserver", &format!("0.{minor}.0"), to);
            let newest = release.preferred();
            let is_named = newest != to && newest != ApiVersion::V1;
            assert_eq!(
                found.len(),
                usize::from(is_named),
                "{release} {to}: {found:?}"
            );
            if is_named {
                let removed = newest.lifecycle().removed.unwrap();
                let text = format!(
                    "requests {newest}, which Kubernetes has until 1.{},",
                    removed - 1
                );
                assert!(found[0].message.contains(&text), "{found:?}");
                assert!(!newest.is_served_by(Release::nearest(removed)));
            }
        }
    }
}

#[test]
fn versions_are_compared_by_their_numbers() {
    let go = |version: &str| {
        (
            "go.mod",
            format!("module a\n\nrequire k8s.io/client-go {version}\n"),
        )
    };
    let npm = |version: &str| {
        let text =
            format!("{{\"dependencies\": {{\n\"@kubernetes/client-node\": \"{version}\"\n}}}}\n");
        ("package.json", text)
    };
    let python = |version: &str| ("requirements.txt", format!("kubernetes{version}\n"));
    let java = |name: &str| ("gradle.lockfile", format!("{name}=classpath\n"));
    let v1 = ApiVersion::V1;
    for ((name, text), to, is_older) in [
        (go("v0.26.3"), v1, true),
        (go("v0.29.0-alpha.1"), v1, false),
        (npm("^0.20.0"), v1, true),
        (npm("~0.21.0"), v1, false),
        (npm("*"), v1, false),
        (python(">=28"), v1, true),
        (python("==29.0.0a1"), v1, false),
        (java("io.fabric8:kubernetes-client:6.10"), v1, false),
        (java("io.fabric8:kubernetes-client:6.9.2"), v1, true),
        (java("io.kubernetes:client-java:20.0.1-legacy"), v1, true),
        (java("io.kubernetes:client-java:${version}"), v1, false),
        (
            java("io.kubernetes:client-java:99999999999999999999.0"),
            v1,
            false,
        ),
        (go("master"), v1, false),
        (go("v0.0.0"), v1, false),
        // A commit after 1.24, before 1.25.
        (
            go("v0.0.0-20220531235728-33da27cc171f"),
            ApiVersion::V1Beta2,
            false,
        ),
        (
            go("v0.0.0-20220531235728-33da27cc171f"),
            ApiVersion::V1Beta3,
            true,
        ),
        // After 1.28, before 1.29: it may have v1.
        (go("v0.0.0-20230901000000-33da27cc171f"), v1, false),
        (go("v0.0.0-20250101000000-33da27cc171f"), v1, false),
        (
            go("v0.0.0-20180101000000-33da27cc171f"),
            ApiVersion::V1Beta1,
            true,
        ),
        (go("v0.0.0-20220531235728"), v1, false),
    ] {
        let found = findings(name, &text, to);
        assert_eq!(found.len(), usize::from(is_older), "{text} {to}: {found:?}");
    }
}
