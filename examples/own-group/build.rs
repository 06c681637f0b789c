//! Generates the types: Leases, Events, and the custom resource.

fn main() {
    k8s_flowcontrol_codegen::Build::new()
        .document("schemas/leases.json")
        .document("schemas/events.json")
        .crd("schemas/guards.yaml")
        .kinds(["Lease", "Event", "Guard"])
        .fields(
            "Lease",
            ["spec.holderIdentity", "spec.leaseDurationSeconds"],
        )
        .write_to_out_dir();
}
