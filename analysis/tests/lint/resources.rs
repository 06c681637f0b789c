//! The built-in resources.

use k8s_flowcontrol_analysis::api_resources::can_exist;

#[test]
fn custom_resources_can_exist_and_misspelt_ones_cannot() {
    for (resource, group, expected) in [
        ("pods", "", true),
        ("pds", "", false),
        ("deployments", "", false),
        ("deployments", "apps", true),
        ("deploymnts", "apps", false),
        ("widgets", "example.com", true),
    ] {
        assert_eq!(can_exist(resource, group), expected, "{resource}.{group}");
    }
}
