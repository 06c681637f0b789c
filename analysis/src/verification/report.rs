//! A report for the developers of Kubernetes.

use super::compare::{LevelVerification, QuantityVerification, Verification};
use std::fmt::Write;

impl Verification {
    /// The comparison in Markdown: its subject and method, the means of each level, and the whole histograms that differ. It has the
    /// names of priority levels and no other names.
    pub fn report(&self) -> String {
        let mut text = String::from(
            "## Seats and waits of API Priority and Fairness: predicted and observed\n\n",
        );
        let time = |us| jiff::Timestamp::from_microsecond(us).map(|time| time.to_string());
        let (first, last) = self.period_us;
        let _ = writeln!(
            text,
            "The rules of Kubernetes {}, {} seats, requests that arrived from {} to {}.\n",
            self.release,
            self.seats,
            time(first).unwrap_or_default(),
            time(last).unwrap_or_default()
        );
        text.push_str(METHOD);
        text.push_str("\n| priority level | requests counted | requests logged | quantity | mean observed | mean predicted | verdict |\n|---|---|---|---|---|---|---|\n");
        for level in &self.levels {
            for quantity in &level.quantities {
                let _ = writeln!(
                    text,
                    "| {} | {} | {} | {} | {:.3} | {:.3} | {} |",
                    escaped(&level.priority_level),
                    level.counted,
                    level.logged,
                    quantity.quantity,
                    quantity.observed_mean,
                    quantity.predicted_mean,
                    level.verdict(quantity),
                );
            }
        }
        for level in &self.levels {
            for (quantity, _) in level.unexplained() {
                histogram(&mut text, level, quantity);
            }
        }
        let incomplete = self.levels.iter().filter(|level| level.is_incomplete());
        let incomplete: Vec<_> = incomplete
            .map(|level| escaped(&level.priority_level))
            .collect();
        match (self.is_explained(), incomplete.len() < self.levels.len()) {
            (false, _) => text.push_str(KNOWN),
            (true, true) if incomplete.is_empty() => {
                text.push_str("\nEvery difference is explained.\n");
            }
            (true, true) => {
                text.push_str("\nEvery difference of the compared levels is explained.\n")
            }
            (true, false) => {}
        }
        if !incomplete.is_empty() {
            let names = incomplete.join(", ");
            let _ = writeln!(
                text,
                "\nNot compared, because the logs and the metrics do not have the same requests: {names}."
            );
        }
        text
    }
}

impl LevelVerification {
    /// The verdict about a quantity in a few words.
    pub fn verdict(&self, quantity: &QuantityVerification) -> &'static str {
        match (self.is_incomplete(), quantity.unexplained()) {
            (true, _) => "not compared",
            (false, Some(_)) => "differs",
            (false, None) => "explained",
        }
    }
}

const METHOD: &str = "\
The predictions follow from the audit logs of the server, its flow schemas and priority levels, and the number and size of its stored objects. \
Seats are estimated by the rules of the release. Waits are simulated eight times with the requests of the logs, in which every client comes up to a \
second later. A part of a histogram differs only if it is outside of what these simulations, missing requests, and times that are 25 % and 10 ms longer or \
shorter explain.
";

const KNOWN: &str = "
Known reports about seats and waits: kubernetes/kubernetes#130139, kubernetes/kubernetes#138313, kubernetes/kubernetes#138478.
";

fn histogram(text: &mut String, level: &LevelVerification, quantity: &QuantityVerification) {
    let _ = writeln!(
        text,
        "\n### {}: {} (`{}`)\n\n| at most | observed | predicted | explained | |\n|---|---|---|---|---|",
        escaped(&level.priority_level),
        quantity.quantity,
        quantity.quantity.metric()
    );
    for bucket in &quantity.buckets {
        let percent = |part: f64| format!("{:.1} %", part * 100.0);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} to {} | {} |",
            bucket.at_most,
            percent(bucket.observed),
            percent(bucket.predicted),
            percent(bucket.explained.0),
            percent(bucket.explained.1),
            if bucket.is_explained() { "" } else { "differs" },
        );
    }
}

/// Names come from metrics: a line break or a bar would end the cell.
fn escaped(name: &str) -> String {
    name.replace('|', "\\|").replace(char::is_control, " ")
}
