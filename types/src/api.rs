//! The API group's types, one module per version.
//!
//! A type that two versions share is one type: `v1beta3::FlowSchemaSpec` *is* `v1::FlowSchemaSpec`.

/// `flowcontrol.apiserver.k8s.io/v1`, served since Kubernetes 1.29.
pub mod v1 {
    generated!("v1");
}

/// `flowcontrol.apiserver.k8s.io/v1beta3`, served by Kubernetes 1.26 to 1.31.
pub mod v1beta3 {
    generated!("v1beta3");
}

/// `flowcontrol.apiserver.k8s.io/v1beta2`, served by Kubernetes 1.23 to 1.28.
pub mod v1beta2 {
    generated!("v1beta2");
}

/// `flowcontrol.apiserver.k8s.io/v1beta1`, served by Kubernetes 1.20 to 1.25.
pub mod v1beta1 {
    generated!("v1beta1");
}
