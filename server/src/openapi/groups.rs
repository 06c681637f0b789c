//! The groups and versions that a server registers. Each has kinds such as DeleteOptions.

use k8s_flowcontrol_types::Release;

/// A group with a version, and the first release with it and the first without it again.
type Registered = (&'static str, &'static str, u32, u32);

/// The groups with the versions that every known release registers, in order.
const GROUPS: [(&str, &[&str]); 24] = [
    ("", &["v1"]),
    ("admission.k8s.io", &["v1", "v1beta1"]),
    ("admissionregistration.k8s.io", &["v1", "v1beta1"]),
    ("apiextensions.k8s.io", &["v1", "v1beta1"]),
    ("apiregistration.k8s.io", &["v1", "v1beta1"]),
    ("apps", &["v1", "v1beta1", "v1beta2"]),
    ("authentication.k8s.io", &["v1", "v1beta1"]),
    ("authorization.k8s.io", &["v1", "v1beta1"]),
    ("autoscaling", &["v1", "v2", "v2beta1", "v2beta2"]),
    ("batch", &["v1", "v1beta1"]),
    ("certificates.k8s.io", &["v1", "v1beta1"]),
    ("coordination.k8s.io", &["v1", "v1beta1"]),
    ("discovery.k8s.io", &["v1", "v1beta1"]),
    ("events.k8s.io", &["v1", "v1beta1"]),
    ("extensions", &["v1beta1"]),
    ("flowcontrol.apiserver.k8s.io", &["v1beta1", "v1beta2"]),
    ("imagepolicy.k8s.io", &["v1alpha1"]),
    ("internal.apiserver.k8s.io", &["v1alpha1"]),
    ("networking.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("node.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("policy", &["v1", "v1beta1"]),
    ("rbac.authorization.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("scheduling.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
    ("storage.k8s.io", &["v1", "v1alpha1", "v1beta1"]),
];

/// The versions that some known releases register.
const SOMETIMES: [Registered; 10] = [
    ("admissionregistration.k8s.io", "v1alpha1", 26, u32::MAX),
    ("authentication.k8s.io", "v1alpha1", 26, u32::MAX),
    ("certificates.k8s.io", "v1alpha1", 27, u32::MAX),
    ("coordination.k8s.io", "v1alpha1", 31, u32::MAX),
    ("flowcontrol.apiserver.k8s.io", "v1", 29, u32::MAX),
    ("flowcontrol.apiserver.k8s.io", "v1alpha1", 0, 29),
    ("flowcontrol.apiserver.k8s.io", "v1beta3", 26, u32::MAX),
    ("resource.k8s.io", "v1alpha2", 27, 31),
    ("resource.k8s.io", "v1alpha3", 31, u32::MAX),
    ("storagemigration.k8s.io", "v1alpha1", 30, u32::MAX),
];

/// The groups and versions of a release, in order.
pub(super) fn registered(release: Release) -> impl Iterator<Item = (&'static str, &'static str)> {
    let minor = release.minor();
    let always = GROUPS
        .iter()
        .flat_map(|(group, versions)| versions.iter().map(move |version| (*group, *version)));
    let sometimes = SOMETIMES
        .iter()
        .filter(move |(_, _, since, until)| (*since..*until).contains(&minor))
        .map(|(group, version, ..)| (*group, *version));
    let mut all: Vec<_> = always.chain(sometimes).collect();
    all.sort_unstable();
    all.into_iter()
}
