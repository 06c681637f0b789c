//! Gauges that keep their last values.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Gauges by name and labels. A value stays until another one is set: a server keeps the series of a deleted level until it restarts.
#[derive(Debug, Default)]
pub(crate) struct Gauges(BTreeMap<&'static str, Gauge>);

#[derive(Debug)]
struct Gauge {
    help: &'static str,
    values: BTreeMap<String, f64>,
}

impl Gauges {
    pub(crate) fn set(
        &mut self,
        name: &'static str,
        help: &'static str,
        labels: String,
        value: f64,
    ) {
        let values = BTreeMap::new();
        let gauge = self.0.entry(name).or_insert(Gauge { help, values });
        gauge.values.insert(labels, value);
    }

    pub(crate) fn write(&self, text: &mut String) {
        for (name, gauge) in &self.0 {
            super::head(text, name, "gauge", gauge.help);
            for (labels, value) in &gauge.values {
                // Writing to a string does not fail.
                let _ = writeln!(text, "{}{name}{labels} {value}", super::PREFIX);
            }
        }
    }
}
