//! The dashboard around the panels.

use super::panels::{Form, Panel, rows};
use super::series::Series;
use crate::metrics::catalog::{DISPATCHED_REQUESTS_TOTAL, Metric, Stability};
use k8s_flowcontrol_types::Release;
use serde_json::{Value, json};

/// The version of Grafana's dashboard model: that of Grafana 10.4. Newer ones migrate it when they open it.
const SCHEMA_VERSION: u32 = 39;
/// The columns of Grafana's grid.
const COLUMNS: u32 = 24;

pub(super) fn dashboard(series: &Series<'_>, release: Release) -> Value {
    json!({
        "uid": format!("k8s-flowcontrol-1-{}", release.minor()),
        "title": format!("Kubernetes / API Priority and Fairness / {release}"),
        "description": format!(
            "Flow control of the API servers of Kubernetes {release}. Panels whose titles end in (alpha) need metrics that a later release can rename."
        ),
        "tags": ["kubernetes", "flowcontrol", "apf"],
        "schemaVersion": SCHEMA_VERSION,
        "version": 1,
        "editable": true,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"},
        "timezone": "",
        "annotations": {"list": []},
        "links": [],
        "templating": {"list": variables(series)},
        "panels": panels(series),
    })
}

fn data_source() -> Value {
    json!({"type": "prometheus", "uid": "${datasource}"})
}

fn variables(series: &Series<'_>) -> Vec<Value> {
    let mut variables = vec![json!({
        "name": "datasource",
        "label": "Data source",
        "type": "datasource",
        "query": "prometheus",
        "refresh": 1,
        "current": {},
        "options": [],
        "hide": 0,
        "includeAll": false,
        "multi": false,
        "regex": "",
    })];
    let limit = series.limit();
    let of = |metric: &'static Metric, matchers: &str| series.matching(metric, "", matchers);
    let levels = "cluster=~\"$cluster\",priority_level=~\"$priority_level\"";
    for (name, label, values) in [
        ("cluster", "Cluster", of(limit, "")),
        ("instance", "API server", of(limit, "cluster=~\"$cluster\"")),
        (
            "priority_level",
            "Priority level",
            of(limit, "cluster=~\"$cluster\""),
        ),
        (
            "flow_schema",
            "Flow schema",
            of(&DISPATCHED_REQUESTS_TOTAL, levels),
        ),
    ] {
        let query = format!("label_values({values}, {name})");
        variables.push(json!({
            "name": name,
            "label": label,
            "type": "query",
            "datasource": data_source(),
            "definition": query,
            "query": {"query": query, "refId": "StandardVariableQuery"},
            // Also matches series without the label, as in a single cluster.
            "allValue": ".*",
            "includeAll": true,
            "multi": true,
            "current": {"selected": true, "text": ["All"], "value": ["$__all"]},
            "options": [],
            "refresh": 2,
            "regex": "",
            "sort": 1,
            "hide": 0,
        }));
    }
    variables
}

/// The rows with their panels, placed on the grid from top to bottom. Panels with stabler metrics come first in a row.
fn panels(series: &Series<'_>) -> Vec<Value> {
    let mut all = Vec::new();
    let mut y = 0;
    for row in rows(series) {
        let known = row.panels.into_iter();
        let known = known.filter_map(|panel| Some((panel.stability(series)?, panel)));
        let mut panels: Vec<_> = known.collect();
        if panels.is_empty() {
            continue;
        }
        panels.sort_by_key(|(stability, _)| *stability);
        all.push(json!({
            "id": all.len() + 1,
            "type": "row",
            "title": row.title,
            "collapsed": false,
            "gridPos": {"x": 0, "y": y, "w": COLUMNS, "h": 1},
            "panels": [],
        }));
        y += 1;
        let (mut x, mut height) = (0, 0);
        for (stability, panel) in panels {
            let (w, h) = size(panel.form);
            if x + w > COLUMNS {
                (x, y) = (0, y + height);
            }
            let place = json!({"x": x, "y": y, "w": w, "h": h});
            all.push(drawn(&panel, stability, all.len() + 1, place));
            (x, height) = (x + w, h);
        }
        y += height;
    }
    all
}

/// The width and height of a panel. The panels of a line have one height.
fn size(form: Form) -> (u32, u32) {
    match form {
        Form::Number => (6, 4),
        Form::Lines | Form::Stack | Form::Table => (12, 8),
    }
}

fn drawn(panel: &Panel, stability: Stability, id: usize, place: Value) -> Value {
    let is_table = panel.form == Form::Table;
    let mut target = json!({
        "refId": "A",
        "datasource": data_source(),
        "expr": panel.expression,
        "legendFormat": panel.legend,
        "editorMode": "code",
        "range": !is_table,
        "instant": is_table,
    });
    if is_table {
        target["format"] = "table".into();
    }
    let end = match stability {
        Stability::Alpha => " (alpha)",
        Stability::Beta | Stability::Stable => "",
    };
    let mut drawn = json!({
        "id": id,
        "title": format!("{}{end}", panel.title),
        "description": panel.description,
        "datasource": data_source(),
        "gridPos": place,
        "targets": [target],
    });
    let (kind, custom, options) = form(panel.form);
    drawn["type"] = kind.into();
    drawn["fieldConfig"] =
        json!({"defaults": {"unit": panel.unit, "min": 0, "custom": custom}, "overrides": []});
    drawn["options"] = options;
    if is_table {
        drawn["transformations"] =
            json!([{"id": "organize", "options": {"excludeByName": {"Time": true}}}]);
    }
    drawn
}

/// The type of a panel in Grafana, with the settings of fields and of the panel.
fn form(form: Form) -> (&'static str, Value, Value) {
    let lines = |fill: u32, stacking: &str| {
        let custom = json!({
            "drawStyle": "line",
            "lineWidth": 1,
            "fillOpacity": fill,
            "showPoints": "never",
            "spanNulls": false,
            "stacking": {"mode": stacking, "group": "A"},
        });
        let options = json!({
            "legend": {"displayMode": "table", "placement": "right", "showLegend": true, "calcs": ["lastNotNull", "max"]},
            "tooltip": {"mode": "multi", "sort": "desc"},
        });
        ("timeseries", custom, options)
    };
    match form {
        Form::Lines => lines(0, "none"),
        Form::Stack => lines(30, "normal"),
        Form::Number => (
            "stat",
            json!({}),
            json!({
                "colorMode": "none",
                "graphMode": "area",
                "justifyMode": "auto",
                "orientation": "auto",
                "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": false},
                "textMode": "auto",
            }),
        ),
        Form::Table => (
            "table",
            json!({"align": "auto", "cellOptions": {"type": "auto"}, "filterable": true}),
            json!({"showHeader": true, "cellHeight": "sm"}),
        ),
    }
}
