//! The registry of kinds: which kinds the server serves, in which versions, and what it does with their objects.
//!
//! A document alone is enough to serve a kind: its paths, verbs, shapes, patches, apply and discovery follow from the
//! document. The kinds of API Priority and Fairness add [rules](rules::Rules) to theirs: defaults, conversion,
//! validation and deprecation. Inside the server an object has the shape of its kind's hub version.

mod described_body;
mod kind;
mod rules;
mod version;

pub(crate) use kind::Kind;
pub(crate) use rules::Deprecation;
pub(crate) use version::Version;

use k8s_flowcontrol_types::Kind as OwnKind;
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::schema::ResourceSchema;
use k8s_flowcontrol_types::{ApiVersion, Release};
use rules::Rules;

/// The kinds that a server of a release serves.
#[derive(Debug)]
pub(crate) struct Kinds {
    pub(crate) release: Release,
    settings: Settings,
    /// The served versions of the own group, the preferred one first.
    pub(crate) versions: Vec<ApiVersion>,
    /// The own group's kinds come first, then the kinds of other groups.
    pub(crate) all: Vec<Kind>,
    others: Vec<&'static ResourceSchema>,
}

/// Settings that stay the same when a server is upgraded to another release.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    /// Whether all versions are served, regardless of the release.
    pub(crate) all_versions: bool,
    /// Whether the gate `ZeroLimitedNominalConcurrencyShares` is open, in releases that have it.
    pub(crate) zero_limited_shares: bool,
}

/// An API group with the names of its served versions, the preferred one first.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) versions: Vec<&'static str>,
}

impl Kinds {
    /// The kinds of a server of `release`; `others` are kinds of other groups.
    pub(crate) fn new(
        release: Release,
        settings: Settings,
        others: Vec<&'static ResourceSchema>,
    ) -> Self {
        let versions: Vec<_> = if settings.all_versions {
            ApiVersion::ALL.to_vec()
        } else {
            release.served().collect()
        };
        let own = OwnKind::ALL
            .iter()
            .copied()
            .enumerate()
            .map(|(index, kind)| {
                let rules = |version| {
                    let kind = VersionedKind::new(kind, version, release);
                    Rules::new(kind, settings.zero_limited_shares)
                };
                Kind::own(index, &versions, release, rules)
            });
        let described = others.iter().enumerate().map(|(index, resource)| {
            Kind::described(OwnKind::ALL.len() + index, resource, release)
        });
        Self {
            release,
            settings,
            all: own.chain(described).collect(),
            versions,
            others,
        }
    }

    /// The kinds of the same server after an upgrade to `release`.
    pub(crate) fn of_release(&self, release: Release) -> Self {
        Self::new(release, self.settings, self.others.clone())
    }

    pub(crate) fn own(&self, kind: OwnKind) -> &Kind {
        // `new` puts the own kinds first, in the order of their declaration.
        &self.all[kind as usize]
    }

    /// The groups that are served, the own group first.
    pub(crate) fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for kind in &self.all {
            let known = groups.iter().position(|group| group.name == kind.group());
            let at = known.unwrap_or_else(|| {
                groups.push(Group {
                    name: kind.group(),
                    versions: Vec::new(),
                });
                groups.len() - 1
            });
            let versions = &mut groups[at].versions;
            for version in &kind.served {
                if !versions.contains(&version.name()) {
                    versions.push(version.name());
                }
            }
        }
        groups
    }

    pub(crate) fn served_in(
        &self,
        group: &str,
        version: &str,
    ) -> impl Iterator<Item = (&Kind, Version)> {
        self.all
            .iter()
            .filter(move |kind| kind.group() == group)
            .filter_map(move |kind| {
                let mut served = kind.served.iter().copied();
                Some((kind, served.find(|served| served.name() == version)?))
            })
    }
}
