//! Generates the types: all of Leases, and of the custom resource.

fn main() {
    k8s_flowcontrol_codegen::Build::new()
        .document("schemas/leases.json")
        .crd("schemas/guards.yaml")
        .kinds(["Lease", "Guard"])
        .fields(
            "Lease",
            ["spec.holderIdentity", "spec.leaseDurationSeconds"],
        )
        .write_to_out_dir();
}
