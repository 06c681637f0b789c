//! Conversion from and to the types of [k8s-openapi](k8s_openapi).
//!
//! k8s-openapi has the kinds in version v1. Its types convert into [`Kube`] with `From`, because nothing can be lost. The
//! other way is a `TryFrom`, because its types hold neither unknown fields nor times that are not RFC 3339. The error
//! names these losses and has the object without them. `k8s-flowcontrol` converts v1 to the older versions.
//!
//! ```
//! use k8s_flowcontrol::api::v1::PriorityLevelConfiguration;
//! use k8s_flowcontrol_kube::Kube;
//! use k8s_openapi::api::flowcontrol::v1 as openapi;
//!
//! let text = r#"{"metadata": {"name": "batch"}, "spec": {"type": "Limited", "limited": {"burst": 5}}}"#;
//! let level: Kube<PriorityLevelConfiguration> = serde_json::from_str(text)?;
//!
//! let lossy = openapi::PriorityLevelConfiguration::try_from(level).unwrap_err();
//! assert_eq!(lossy.losses[0].path, "spec.limited.burst");
//! let level = Kube::from(lossy.into_object());
//! assert_eq!(level.metadata.name.as_deref(), Some("batch"));
//! # Ok::<(), serde_json::Error>(())
//! ```

mod flow_schema;
mod level;
mod losses;
mod status;

use crate::Kube;
use crate::metadata;
use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::convert::Lossy;
use k8s_openapi::api::flowcontrol::v1 as openapi;
use losses::Losses;

macro_rules! kind {
    ($kind:ident, $module:ident) => {
        impl From<openapi::$kind> for Kube<v1::$kind> {
            fn from(object: openapi::$kind) -> Self {
                Self::new(v1::$kind {
                    metadata: metadata::from_kube(&object.metadata),
                    spec: object.spec.map($module::spec_from).unwrap_or_default(),
                    status: object.status.map($module::status_from),
                    ..Default::default()
                })
            }
        }

        impl TryFrom<Kube<v1::$kind>> for openapi::$kind {
            type Error = Lossy<Self>;

            fn try_from(object: Kube<v1::$kind>) -> Result<Self, Lossy<Self>> {
                let object = object.into_inner();
                let mut losses = Losses::default();
                losses.unknown(&object.unknown);
                let object = Self {
                    metadata: losses.within("metadata", |losses| losses.metadata(&object.metadata)),
                    spec: losses
                        .within("spec", |losses| Some($module::spec_to(object.spec, losses))),
                    status: object.status.map(|status| {
                        losses.within("status", |losses| $module::status_to(status, losses))
                    }),
                };
                losses.outcome(object)
            }
        }
    };
}

kind!(FlowSchema, flow_schema);
kind!(PriorityLevelConfiguration, level);

/// A list that k8s-openapi declares as optional.
fn optional<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

fn each<T, U>(list: Vec<T>, convert: fn(T) -> U) -> Vec<U> {
    list.into_iter().map(convert).collect()
}
