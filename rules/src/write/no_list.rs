//! The kinds in all versions, which lists are not.

use k8s_flowcontrol_types::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol_types::kind::Versioned;

/// A versioned kind. A trait of this crate, so that the compiler sees that lists do not implement it.
pub(super) trait NoList: Versioned {}

macro_rules! no_lists {
    ($($version:ident)*) => {$(
        impl NoList for $version::FlowSchema {}
        impl NoList for $version::PriorityLevelConfiguration {}
    )*};
}
no_lists!(v1 v1beta3 v1beta2 v1beta1);
