//! The field of a limited level's shares, which v1beta3 renamed.

use k8s_flowcontrol_types::ApiVersion;

/// The two names of the field, the older one first.
pub(in crate::migrate) const SHARES: [&str; 2] =
    ["assuredConcurrencyShares", "nominalConcurrencyShares"];

/// The name of the field in a version.
pub(in crate::migrate) fn shares_of(version: ApiVersion) -> &'static str {
    SHARES[usize::from(version >= ApiVersion::V1Beta3)]
}

/// The name that the field has in other versions only.
pub(in crate::migrate) fn other_shares_of(version: ApiVersion) -> &'static str {
    SHARES[usize::from(version < ApiVersion::V1Beta3)]
}
