//! A reference to a priority level that does not exist.

use super::{Context, Report, Rule, Severity};
use crate::lint::context::{Maintainer, Schema};

pub(super) const RULE: Rule = Rule {
    id: "dangling-reference",
    severity: Severity::Error,
    summary: "A flow schema refers to a priority level that does not exist.",
    check,
};

fn check(context: &Context, report: &mut Report) {
    for schema in context.user_schemas().filter(|schema| schema.dangling) {
        let level = schema.level();
        let message = if context.level(level).is_some() {
            format!("the server ignores the priority level `{level}`, so it skips this schema")
        } else if context.complete {
            format!("there is no priority level `{level}`, so the server skips this schema")
        } else {
            format!("neither these files nor a new cluster have the priority level `{level}`")
        };
        let similar = similar(context, schema);
        let help = match similar {
            Some(name) => format!("did you mean `{name}`?"),
            None => "create the priority level, or refer to one that exists".to_owned(),
        };
        report.set_severity(severity(context, similar.is_some()));
        report.schema(
            schema,
            "spec.priorityLevelConfiguration.name",
            message,
            &help,
        );
    }
}

/// The cluster may have more levels than the files, unless the name is misspelt. Files with levels of their own are probably
/// complete.
fn severity(context: &Context, is_misspelt: bool) -> Severity {
    let has_levels = || {
        let mut levels = context.levels.iter();
        levels.any(|level| level.maintainer != Maintainer::Assumed)
    };
    match context.complete || is_misspelt {
        true => RULE.severity,
        false if has_levels() => Severity::Warning,
        false => Severity::Note,
    }
}

/// The level whose name differs least from the reference, if it differs by few letters.
fn similar<'a>(context: &'a Context, schema: &Schema) -> Option<&'a str> {
    let wanted = schema.level();
    let most = 1 + wanted.len() / 6;
    let levels = context.levels.iter().map(|level| level.name());
    let near = levels.filter(|name| *name != wanted);
    let near = near.map(|name| (distance(wanted, name), name));
    let nearest = near.filter(|(distance, _)| *distance <= most).min();
    nearest.map(|(_, name)| name)
}

/// The number of letters to add, remove or replace, where a swap of neighbours counts as one.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<_>, Vec<_>) = (from.chars().collect(), to.chars().collect());
    let mut rows = vec![(0..=to.len()).collect::<Vec<_>>()];
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let replaced = rows[i][j] + usize::from(a != b);
            let mut least = replaced.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances() {
        for (from, to, expected) in [
            ("batch", "batch", 0),
            ("bacth", "batch", 1),
            ("btch", "batch", 1),
            ("", "ab", 2),
            ("system", "node-high", 9),
        ] {
            assert_eq!(distance(from, to), expected, "{from} {to}");
        }
    }
}
