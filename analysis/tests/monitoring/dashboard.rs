//! The dashboard.

use super::metrics_of;
use k8s_flowcontrol_analysis::metrics::catalog::Stability;
use k8s_flowcontrol_analysis::monitoring::Monitoring;
use k8s_flowcontrol_types::Release;
use std::collections::BTreeSet;

#[test]
fn the_dashboard_is_complete_and_its_panels_do_not_overlap() {
    for release in Release::all() {
        let dashboard = Monitoring::new(release).dashboard();
        assert_eq!(dashboard, Monitoring::new(release).dashboard());
        let uid = dashboard["uid"].as_str().unwrap();
        assert!(uid.len() <= 40, "Grafana accepts at most 40 characters");
        let variables: Vec<_> = dashboard["templating"]["list"]
            .as_array()
            .unwrap()
            .iter()
            .map(|own| own["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            variables,
            [
                "datasource",
                "cluster",
                "instance",
                "priority_level",
                "flow_schema"
            ]
        );
        let panels = dashboard["panels"].as_array().unwrap();
        let (mut ids, mut cells) = (BTreeSet::new(), BTreeSet::new());
        for panel in panels {
            assert!(ids.insert(panel["id"].as_u64().unwrap()));
            let [x, y, w, h] =
                ["x", "y", "w", "h"].map(|key| panel["gridPos"][key].as_u64().unwrap());
            assert!(x + w <= 24);
            for cell in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
                assert!(cells.insert(cell), "{} overlaps", panel["title"]);
            }
            if panel["type"] == "row" {
                continue;
            }
            assert!(panel["fieldConfig"]["defaults"]["unit"].is_string());
            assert_eq!(panel["datasource"]["uid"], "${datasource}");
            let expression = panel["targets"][0]["expr"].as_str().unwrap();
            let is_alpha = metrics_of(expression)
                .iter()
                .any(|(metric, _)| metric.stability(release) == Some(Stability::Alpha));
            let title = panel["title"].as_str().unwrap();
            assert_eq!(
                title.ends_with(" (alpha)"),
                is_alpha,
                "{title} in {release}"
            );
        }
    }
}
