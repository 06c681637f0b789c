//! The OpenAPI documents of the embedded server, read by the generator.

use crate::e2e::support::{release, text};
use k8s_flowcontrol::Release;
use k8s_flowcontrol_codegen::Generator;

#[tokio::test]
async fn our_generator_reads_what_every_release_publishes() {
    // A quick run has the oldest, the newest, and those around a new field.
    let tries_all = std::env::var_os("FLOWCONTROL_TEST_ALL").is_some();
    let few = [Release::OLDEST.minor(), 27, 28, Release::NEWEST.minor()];
    for served_by in Release::all().filter(|one| tries_all || few.contains(&one.minor())) {
        let (server, _) = release(&served_by.to_string()).await;
        for version in served_by.served() {
            let path = format!("/openapi/v3/apis/{}", version.api_version());
            let text = text(&server, &path, "").await;
            let generated = Generator::new()
                .document("-", &text)
                .and_then(|generator| generator.generate())
                .unwrap_or_else(|error| panic!("{served_by} {version}: {error}"));
            let name = format!("flowcontrol_{version}.rs");
            let module = generated.files.iter().find(|(file, _)| *file == name);
            let (_, module) = module.unwrap_or_else(|| panic!("{served_by}: no {name}"));
            for item in [
                "pub struct FlowSchemaSpec",
                "pub struct PriorityLevelConfiguration",
            ] {
                assert!(module.contains(item), "{served_by} {version}: {item}");
            }
            let has_exempt = module.contains("pub exempt: ");
            assert_eq!(has_exempt, served_by.minor() >= 28, "{served_by} {version}");
        }
    }
}
