//! Lock files and lists of dependencies: the versions that a library has and requests.

use super::{folder, run, write};
use serde_json::Value;

/// The findings about dependencies of a file, as `severity line message`.
fn found(name: &str, text: &str, more: &[&str]) -> Vec<String> {
    let test = std::thread::current()
        .name()
        .unwrap_or_default()
        .replace(':', "-");
    let folder = folder(&test);
    write(&folder, name, text);
    let ran = run(&folder, &[&["migrate", ".", "-o", "json"], more].concat());
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let files = report["files"].as_array().unwrap();
    let findings = files
        .iter()
        .flat_map(|file| file["findings"].as_array().unwrap());
    let lines = findings.map(|finding| {
        assert_eq!(finding["rule"], "dependency", "{finding}");
        let text = |field: &str| finding[field].as_str().unwrap_or_default().to_owned();
        let (severity, line) = (text("severity"), &finding["line"]);
        format!("{severity} {line} {}: {}", text("message"), text("help"))
    });
    lines.collect()
}

#[test]
fn libraries_without_the_version_are_found_in_each_form() {
    let go = "module example.com/a\n\nrequire (\n\tk8s.io/api v0.28.4 // indirect\n\tk8s.io/client-go v0.29.0\n\tsigs.k8s.io/controller-runtime v0.16.3\n)\n";
    let pom = "<project>\n<properties><x>1</x></properties>\n<properties>\n  <fabric8.version>6.9.2</fabric8.version>\n</properties>\n<dependency>\n  <groupId>io.fabric8</groupId>\n  <artifactId>kubernetes-client</artifactId>\n  <version>${fabric8.version}</version>\n</dependency>\n<dependency>\n  <groupId>io.kubernetes</groupId>\n  <artifactId>client-java</artifactId>\n  <version>21.0.0</version>\n</dependency>\n</project>\n";
    let npm = "{\n  \"lockfileVersion\": 3,\n  \"packages\": {\n    \"node_modules/@kubernetes/client-node\": {\n      \"version\": \"0.20.0\",\n      \"dependencies\": {}\n    }\n  }\n}\n";
    let nuget = "<Project>\n  <PackageReference Include=\"KubernetesClient\" Version=\"12.0.16\" />\n</Project>\n";
    let nuget_lock = "{\n  \"dependencies\": {\n    \"net8.0\": {\n      \"KubernetesClient\": {\n        \"type\": \"Direct\",\n        \"requested\": \"[12.0.16, )\",\n        \"resolved\": \"12.0.16\"\n      }\n    }\n  }\n}\n";
    for (name, text, line, library, version) in [
        ("go.mod", go, 4, "k8s.io/api", "v0.28.4"),
        ("pom.xml", pom, 4, "io.fabric8:kubernetes-client", "6.9.2"),
        (
            "package-lock.json",
            npm,
            5,
            "@kubernetes/client-node",
            "0.20.0",
        ),
        (
            "package.json",
            "{\n\"dependencies\": {\n\"@pulumi/kubernetes\": \"^4.5.0\"\n}\n}\n",
            3,
            "@pulumi/kubernetes",
            "^4.5.0",
        ),
        (
            "yarn.lock",
            "\"@kubernetes/client-node@^0.19.0\":\n  version \"0.19.0\"\n",
            2,
            "@kubernetes/client-node",
            "0.19.0",
        ),
        (
            "yarn.lock",
            "\"@kubernetes/client-node@npm:^0.19.0\":\n  version: 0.19.0\n",
            2,
            "@kubernetes/client-node",
            "0.19.0",
        ),
        (
            "pnpm-lock.yaml",
            "packages:\n\n  '@kubernetes/client-node@0.20.0':\n    resolution: {integrity: sha512}\n",
            3,
            "@kubernetes/client-node",
            "0.20.0",
        ),
        (
            "pnpm-lock.yaml",
            "packages:\n  /@kubernetes/client-node/0.18.1:\n    dev: false\n",
            2,
            "@kubernetes/client-node",
            "0.18.1",
        ),
        (
            "poetry.lock",
            "[[package]]\nname = \"kubernetes\"\nversion = \"28.1.0\"\n",
            3,
            "kubernetes",
            "28.1.0",
        ),
        (
            "uv.lock",
            "[[package]]\nname = \"kubernetes-asyncio\"\nversion = \"24.2.2\"\n",
            3,
            "kubernetes-asyncio",
            "24.2.2",
        ),
        (
            "Pipfile.lock",
            "{\n\"default\": {\n\"kubernetes\": {\n\"hashes\": [\n\"sha256:a\"\n],\n\"version\": \"==26.1.0\"\n}\n}\n}\n",
            7,
            "kubernetes",
            "==26.1.0",
        ),
        (
            "requirements-dev.txt",
            "pyyaml==6\nKubernetes==28.1.0  # client\n",
            2,
            "kubernetes",
            "28.1.0",
        ),
        (
            "pyproject.toml",
            "dependencies = [\n  \"kubernetes>=27,<29\",\n]\n",
            2,
            "kubernetes",
            "27",
        ),
        (
            "pyproject.toml",
            "[tool.poetry.dependencies]\nkubernetes_asyncio = \"^28.2\"\n",
            2,
            "kubernetes-asyncio",
            "^28.2",
        ),
        (
            "setup.py",
            "install_requires=[\n    'kubernetes~=26.1',\n]\n",
            2,
            "kubernetes",
            "26.1",
        ),
        (
            "Cargo.lock",
            "[[package]]\nname = \"k8s-openapi\"\nversion = \"0.20.0\"\n",
            3,
            "k8s-openapi",
            "0.20.0",
        ),
        (
            "Cargo.toml",
            "[dependencies]\nk8s-openapi = { version = \"0.18\", features = [\"v1_26\"] }\n",
            2,
            "k8s-openapi",
            "0.18",
        ),
        (
            "Cargo.toml",
            "[target.'cfg(unix)'.dependencies.k8s-openapi]\nfeatures = [\"latest\"]\nversion = \"0.20.0\"\n\n[features]\n",
            3,
            "k8s-openapi",
            "0.20.0",
        ),
        (
            "pyproject.toml",
            "[tool.poetry.group.dev.dependencies.kubernetes]\nversion = \"^28.1\"\n",
            2,
            "kubernetes",
            "^28.1",
        ),
        (
            "build.gradle.kts",
            "dependencies {\n  implementation(\"io.fabric8:kubernetes-client:6.5.1\")\n}\n",
            2,
            "io.fabric8:kubernetes-client",
            "6.5.1",
        ),
        (
            "libs.versions.toml",
            "[libraries]\nk8s = { module = \"io.kubernetes:client-java\", version = \"18.0.0\" }\n",
            2,
            "io.kubernetes:client-java",
            "18.0.0",
        ),
        (
            "build.sbt",
            "\"io.kubernetes\" % \"client-java\" % \"20.0.1-legacy\"\n",
            1,
            "io.kubernetes:client-java",
            "20.0.1-legacy",
        ),
        ("app.csproj", nuget, 2, "KubernetesClient", "12.0.16"),
        (
            "Directory.Packages.props",
            "<Project>\n  <PackageVersion Include=\"KubernetesClient.Classic\" Version=\"12.1.1\" />\n</Project>\n",
            2,
            "KubernetesClient.Classic",
            "12.1.1",
        ),
        (
            "packages.lock.json",
            nuget_lock,
            7,
            "KubernetesClient",
            "12.0.16",
        ),
        (
            "cdk8s.yaml",
            "language: typescript\nimports:\n  - k8s@1.28.0\n",
            3,
            "cdk8s",
            "1.28.0",
        ),
    ] {
        let found = found(name, text, &[]);
        let first = found.first().unwrap_or_else(|| panic!("{name}: nothing"));
        assert!(
            first.starts_with(&format!("note {line} ")),
            "{name}: {found:?}"
        );
        for word in [library, version, "v1", "update "] {
            assert!(first.contains(word), "{name}: {word}: {found:?}");
        }
    }
    let found = found("go.mod", go, &[]);
    assert_eq!(
        found,
        [
            "note 4 k8s.io/api v0.28.4 has no types of v1: update k8s.io/api from v0.28.4 to v0.29.0 or later",
            "note 6 sigs.k8s.io/controller-runtime v0.16.3 has no types of v1: update sigs.k8s.io/controller-runtime from v0.16.3 to v0.17.0 or later",
        ]
    );
}

#[test]
fn libraries_with_the_version_and_other_libraries_need_nothing() {
    for (name, text) in [
        ("go.mod", "require k8s.io/client-go v0.33.1\n"),
        (
            "go.mod",
            "require k8s.io/client-go v0.20.0\nreplace k8s.io/client-go => k8s.io/client-go v0.30.2\n",
        ),
        (
            "go.mod",
            "require k8s.io/api v0.0.0\nrequire k8s.io/apiserver v0.20.0\nreplace k8s.io/apiserver => ../apiserver\n",
        ),
        // A commit after 1.29.
        (
            "go.mod",
            "require k8s.io/api v0.0.0-20240601000000-1db6d2d73aa2\n",
        ),
        (
            "go.mod",
            "require k8s.io/kube-state-metrics/v2 v2.8.0\nrequire k8s.io/client-go/extra v0.1.0\n",
        ),
        ("go.sum", "k8s.io/client-go v0.20.0/go.mod h1:a=\n"),
        ("main.go", "// k8s.io/client-go v0.20.0\n"),
        (
            "poetry.lock",
            "name = \"kubernetes\"\nversion = \"31.0.0\"\n",
        ),
        (
            "poetry.lock",
            "name = \"kubernetes-validate\"\nversion = \"1.28.1\"\n",
        ),
        (
            "requirements.txt",
            "kubernetes\nkubernetes-validate==1.0\nkubernetes==$VERSION\n",
        ),
        (
            "pom.xml",
            "<groupId>io.fabric8</groupId>\n<artifactId>kubernetes-client</artifactId>\n</dependency>\n<version>1.0</version>\n",
        ),
        (
            "pom.xml",
            "<groupId>org.other</groupId>\n<artifactId>kubernetes-client</artifactId>\n<version>1.0</version>\n",
        ),
        (
            "build.gradle",
            "'io.fabric8:kubernetes-client-api:6.0.0'\n'io.fabric8:kubernetes-client'\n",
        ),
        (
            "package.json",
            "{\"name\": \"@kubernetes/client-node\",\n\"@kubernetes/client-node\": \"*\"}\n",
        ),
        (
            "Cargo.lock",
            "name = \"k8s-openapi\"\nversion = \"0.26.0\"\n",
        ),
    ] {
        assert_eq!(
            found(name, text, &[]),
            Vec::<String>::new(),
            "{name}: {text}"
        );
    }
}

/// `k8s-openapi` has the types of the Kubernetes release that a feature selects.
#[test]
fn a_feature_for_an_older_release_has_no_types_of_the_version() {
    let advice = "build k8s-openapi with the feature v1_29 or a later one in place of v1_28";
    for (text, line) in [
        (
            "[dependencies]\nk8s-openapi = { version = \"0.22\", features = [\"v1_28\"] }\n",
            2,
        ),
        (
            "[dependencies]\nk8s-openapi = { version = \"0.22\", features = [\n  \"schemars\",\n  \"v1_28\",\n] }\n",
            4,
        ),
        (
            "[dev-dependencies.k8s-openapi]\nversion = \"0.22.0\"\nfeatures = [\"v1_28\"]\n",
            3,
        ),
    ] {
        let expected =
            format!("note {line} the feature v1_28 of k8s-openapi has no types of v1: {advice}");
        assert_eq!(found("Cargo.toml", text, &[]), [expected], "{text}");
    }
    let old = "k8s-openapi = { version = \"0.20\", features = [\"v1_28\"] }\n";
    assert_eq!(
        found("Cargo.toml", old, &[]),
        [
            "note 1 the feature v1_28 of k8s-openapi has no types of v1: update k8s-openapi from 0.20 to 0.21.0 or later, with the feature v1_29 or a later one in place of v1_28"
        ]
    );
    for text in [
        "k8s-openapi = { version = \"0.22\", features = [\"v1_29\"] }\n",
        "k8s-openapi = { version = \"0.22\", features = [\"latest\"] }\nother = { version = \"1.0\", features = [\"v1_28\"] }\n",
        "[dependencies.k8s-openapi]\nversion = \"0.22\"\n[dependencies.other]\nfeatures = [\"v1_28\"]\n",
        "[package.k8s-openapi]\nversion = \"0.1\"\n",
    ] {
        assert_eq!(
            found("Cargo.toml", text, &[]),
            Vec::<String>::new(),
            "{text}"
        );
    }
}

/// `k8s.io/apiserver` requests the objects for the priority and fairness of the server that embeds it.
#[test]
fn servers_that_request_an_old_version_by_themselves_are_found() {
    let text = "module m\nrequire k8s.io/apiserver v0.28.4\n";
    assert_eq!(
        found("go.mod", text, &[]),
        [
            "manual 2 a server with k8s.io/apiserver v0.28.4 requests v1beta3, which Kubernetes has until 1.31, for its priority and fairness: \
             update k8s.io/apiserver to v0.29.0 or later, or start the server with --enable-priority-and-fairness=false (older servers: \
             --feature-gates=APIPriorityAndFairness=false)"
        ]
    );
    let indirect = "require (\n\tk8s.io/apiserver v0.24.0 // indirect\n)\n";
    // Before Go 1.17, go.mod lists only direct dependencies.
    let direct = "require (\n\tk8s.io/apiextensions-apiserver v0.21.1\n)\n";
    assert!(found("go.mod", direct, &[])[0].starts_with(
        "note 2 a server with k8s.io/apiextensions-apiserver v0.21.1 requests v1beta1"
    ));
    let both = format!("{direct}\nrequire k8s.io/apiserver v0.29.0 // indirect\n");
    assert_eq!(found("go.mod", &both, &[]).len(), 0);
    assert!(found("go.mod", indirect, &[])[0].starts_with("note 2 a server with k8s.io/apiserver v0.24.0 requests v1beta2, which Kubernetes has until 1.28"));
    assert_eq!(
        found("go.mod", &text.replace("0.28.4", "0.29.0"), &[]).len(),
        0
    );
    let commit = text.replace("0.28.4", "0.0.0-20220531235728-33da27cc171f");
    assert!(
        found("go.mod", &commit, &[])[0]
            .contains("v0.0.0-20220531235728-33da27cc171f requests v1beta2, which")
    );
    // A commit between 1.28 and 1.29.
    let between = text.replace("0.28.4", "0.0.0-20231020000000-1db6d2d73aa2");
    assert!(found("go.mod", &between, &[])[0].starts_with(
        "note 2 a server with k8s.io/apiserver v0.0.0-20231020000000-1db6d2d73aa2 may request v1beta3, which"
    ));
    // A release that serves the version.
    let older = ["--to-version", "v1beta3", "--kubernetes", "1.28"];
    assert_eq!(found("go.mod", text, &older).len(), 0);
}
