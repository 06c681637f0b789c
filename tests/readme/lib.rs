//! Compiles the programs of the README and of the guide.
#![doc = include_str!("../../README.md")]
// A build script has a `main`.
#![allow(clippy::needless_doctest_main)]

macro_rules! chapters {
    ($($name:ident: $file:literal)*) => {$(
        #[doc = include_str!(concat!("../../docs/src/", $file))]
        pub mod $name {}
    )*};
}
chapters! {
    first_program: "first-program.md"
    versions: "versions.md"
    apply: "apply.md"
    stores: "stores.md"
    errors: "errors.md"
    testing: "testing.md"
    torture: "torture.md"
    from_kube: "from-kube.md"
    rules: "rules.md"
    traffic: "traffic.md"
    audit_logs: "audit-logs.md"
    sizing: "sizing.md"
    queuing: "queuing.md"
    diagnosis: "diagnosis.md"
    monitoring: "monitoring.md"
    other_groups: "other-groups.md"
}
