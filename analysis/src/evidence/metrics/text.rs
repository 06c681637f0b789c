//! The Prometheus text format.

/// A sample: a line such as `requests_total{code="200"} 9`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sample<'a> {
    /// The name of the metric.
    pub name: &'a str,
    /// The value, which may be infinite or not a number.
    pub value: f64,
    labels: Vec<(&'a str, String)>,
}

impl Sample<'_> {
    /// The value of a label; `None` if the sample does not have it.
    pub fn label(&self, name: &str) -> Option<&str> {
        let found = self.labels.iter().find(|(label, _)| *label == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The names and values of all labels, in the order of the text.
    pub fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        self.labels
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
    }
}

/// The samples of a text, such as the response of `/metrics`. Comments and malformed lines are skipped.
///
/// ```
/// use k8s_flowcontrol_analysis::metrics::samples;
///
/// let text = "# a comment\nrequests_total{code=\"200\"} 9 1700000000\nbroken{\n";
/// let found: Vec<_> = samples(text).collect();
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].name, found[0].value, found[0].label("code")), ("requests_total", 9.0, Some("200")));
/// ```
pub fn samples(text: &str) -> impl Iterator<Item = Sample<'_>> {
    text.lines().filter_map(sample)
}

fn sample(line: &str) -> Option<Sample<'_>> {
    let line = line.trim_start();
    let end = line.find(['{', ' ', '\t'])?;
    let (name, mut rest) = line.split_at(end);
    if name.is_empty() || name.starts_with('#') {
        return None;
    }
    let mut labels = Vec::new();
    if let Some(inner) = rest.strip_prefix('{') {
        rest = inner.trim_start();
        while !rest.starts_with('}') {
            let (label, value) = rest.split_once('=')?;
            let (value, after) = quoted(value.trim_start())?;
            labels.push((label.trim(), value));
            rest = after.trim_start().trim_start_matches(',').trim_start();
        }
        rest = rest.strip_prefix('}')?;
    }
    // A timestamp may follow the value.
    let value = rest.split_whitespace().next()?.parse().ok()?;
    Some(Sample {
        name,
        value,
        labels,
    })
}

/// The text of a quoted string, and the rest of the line.
pub(crate) fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.strip_prefix('"')?.chars();
    loop {
        match characters.next()? {
            '"' => return Some((value, characters.as_str())),
            '\\' => value.push(match characters.next()? {
                'n' => '\n',
                other => other,
            }),
            other => value.push(other),
        }
    }
}
