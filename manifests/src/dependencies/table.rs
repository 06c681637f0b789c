//! The libraries that have types of flow control, or request it by themselves.
//!
//! A library without a row does not have types of the group, and does not request it, as far as is known. The table of README.md shows the
//! rows to users, and names the newest Kubernetes release for which they were checked. A test fails when this project knows a newer one:
//! then look whether a library dropped or added versions of the group.

use k8s_flowcontrol_types::ApiVersion;

/// The registry or the tool that gives a library its versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ecosystem {
    Go,
    Npm,
    Python,
    Rust,
    /// Maven and Gradle, for Java, Kotlin and Scala.
    Java,
    /// NuGet, for C# and F#.
    DotNet,
    /// `cdk8s import`, whose version is that of Kubernetes.
    Cdk8s,
}

#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) ecosystem: Ecosystem,
    pub(crate) name: &'static str,
    /// The first version of the library with the types of an API version.
    pub(super) types: &'static [(ApiVersion, &'static str)],
    /// The API version that a program with this library requests by itself, from a version of the library on; in ascending order.
    pub(super) requests: &'static [(&'static str, ApiVersion)],
}

impl Library {
    /// A library with types, which requests nothing by itself.
    const fn typed(
        ecosystem: Ecosystem,
        name: &'static str,
        types: &'static [(ApiVersion, &'static str)],
    ) -> Self {
        Self {
            ecosystem,
            name,
            types,
            requests: &[],
        }
    }

    /// A library of Go for API servers, without types.
    const fn server(name: &'static str) -> Self {
        Self {
            ecosystem: Ecosystem::Go,
            name,
            types: &[],
            requests: SERVER,
        }
    }

    /// Whether a feature selects the Kubernetes release whose types the library has.
    pub(super) fn has_features(&self) -> bool {
        self.name == "k8s-openapi"
    }

    /// Whether the library only brings `k8s.io/apiserver` along, and programs use it for other things too.
    pub(super) fn brings_server(&self) -> bool {
        self.name == "k8s.io/apiextensions-apiserver"
    }
}

const GO: &[(ApiVersion, &str)] = &[
    (ApiVersion::V1Beta1, "0.20.0"),
    (ApiVersion::V1Beta2, "0.23.0"),
    (ApiVersion::V1Beta3, "0.26.0"),
    (ApiVersion::V1, "0.29.0"),
];

/// The packages of the .NET client are in one repository, and have the same version.
///
/// Source: kubernetes-client/csharp: README (4.0 is Kubernetes 1.20), issue 1174 (7.0 is 1.23, 10.0 is 1.26), pull request 1482 of January 2024
/// (1.29), and 1551 (14.0 is 1.30); src for the packages.
const DOT_NET: &[(ApiVersion, &str)] = &[
    (ApiVersion::V1Beta1, "4.0.0"),
    (ApiVersion::V1Beta2, "7.0.0"),
    (ApiVersion::V1Beta3, "10.0.0"),
    (ApiVersion::V1, "13.0.1"),
];

/// The versions that a server with the library `k8s.io/apiserver` requests.
const SERVER: &[(&str, ApiVersion)] = &[
    ("0.20.0", ApiVersion::V1Beta1),
    ("0.23.0", ApiVersion::V1Beta2),
    ("0.26.0", ApiVersion::V1Beta3),
    ("0.29.0", ApiVersion::V1),
];

const PYTHON: &[(ApiVersion, &str)] =
    &[(ApiVersion::V1Beta3, "26.1.0"), (ApiVersion::V1, "29.0.0")];

pub(super) const LIBRARIES: &[Library] = &[
    // Source: kubernetes/typed/flowcontrol in the tags of kubernetes/client-go.
    Library::typed(Ecosystem::Go, "k8s.io/client-go", GO),
    // Source: flowcontrol in the tags of kubernetes/api.
    Library::typed(Ecosystem::Go, "k8s.io/api", GO),
    // Source: pkg/server/options/feature.go and pkg/util/flowcontrol in the tags of kubernetes/apiserver.
    Library::server("k8s.io/apiserver"),
    // It requires k8s.io/apiserver of the same version; go.mod lists only direct dependencies before Go 1.17.
    // Source: go.mod in the tags of kubernetes/apiextensions-apiserver, and the row of k8s.io/apiserver.
    Library::server("k8s.io/apiextensions-apiserver"),
    // Source: go.mod of the release, and pull request 2623 of kubernetes-sigs/controller-runtime for the fake client.
    Library::typed(
        Ecosystem::Go,
        "sigs.k8s.io/controller-runtime",
        &[(ApiVersion::V1, "0.17.0")],
    ),
    // Source: internal/store in the tags of kubernetes/kube-state-metrics: it has no metrics of FlowSchemas and
    // PriorityLevelConfigurations.
    Library::typed(Ecosystem::Go, "k8s.io/kube-state-metrics/v2", &[]),
    // Source: dist/gen/api of the published packages 0.20.0 and 0.21.0.
    Library::typed(
        Ecosystem::Npm,
        "@kubernetes/client-node",
        &[(ApiVersion::V1, "0.21.0")],
    ),
    // Source: flowcontrol of the published packages 4.5.6 and 4.8.1.
    Library::typed(
        Ecosystem::Npm,
        "@pulumi/kubernetes",
        &[(ApiVersion::V1, "4.8.1")],
    ),
    // Source: client/api of the published packages 28.1.0 and 29.0.0; README of kubernetes-client/python.
    Library::typed(Ecosystem::Python, "kubernetes", PYTHON),
    // Source: client/api of the published package 29.0.0.
    Library::typed(Ecosystem::Python, "kubernetes-asyncio", PYTHON),
    // Source: models of the published packages 1.28.1.4 and 1.29.0.6.
    Library::typed(
        Ecosystem::Python,
        "lightkube-models",
        &[(ApiVersion::V1Beta3, "1.26.0"), (ApiVersion::V1, "1.29.0")],
    ),
    // Source: features of the published crates 0.20.0 and 0.21.0; the feature v1_29 or a later one has v1.
    Library::typed(
        Ecosystem::Rust,
        "k8s-openapi",
        &[(ApiVersion::V1Beta3, "0.17.0"), (ApiVersion::V1, "0.21.0")],
    ),
    // Source: wiki page 2, Versioning and Compatibility, of kubernetes-client/java: 20.0 is Kubernetes 1.28, 21.0 is 1.30.
    Library::typed(
        Ecosystem::Java,
        "io.kubernetes:client-java",
        &[(ApiVersion::V1, "21.0.0")],
    ),
    // Source: CHANGELOG of fabric8io/kubernetes-client: fix 5643 in 6.10.0.
    Library::typed(
        Ecosystem::Java,
        "io.fabric8:kubernetes-client",
        &[(ApiVersion::V1, "6.10.0")],
    ),
    Library::typed(Ecosystem::DotNet, "KubernetesClient", DOT_NET),
    Library::typed(Ecosystem::DotNet, "KubernetesClient.Classic", DOT_NET),
    Library::typed(Ecosystem::DotNet, "KubernetesClient.Aot", DOT_NET),
    Library::typed(Ecosystem::DotNet, "KubernetesClient.Models", DOT_NET),
    // Source: the version that cdk8s imports is the Kubernetes release.
    Library::typed(
        Ecosystem::Cdk8s,
        "k8s",
        &[
            (ApiVersion::V1Beta1, "1.20.0"),
            (ApiVersion::V1Beta2, "1.23.0"),
            (ApiVersion::V1Beta3, "1.26.0"),
            (ApiVersion::V1, "1.29.0"),
        ],
    ),
];
