//! The answer as a web page: before and after, the headroom of each level over time, and the cost of tiers.

use super::compared::verdict_of;
use super::report::{lines, requests, verdict, warnings};
use crate::commands::simulate::page::{OverTime, busy, compared_levels, over_time};
use crate::output::html::{Bar, Group, Page, Rows, bars};
use k8s_flowcontrol::{Release, Resource};
use k8s_flowcontrol_analysis::simulation::Report;
use k8s_flowcontrol_analysis::size::{Answer, Check, Examination, Proof, Sizing};

const HEADROOM: OverTime = OverTime {
    heading: "Free seats over time",
    note: "The headroom: the current limit of each level less the mean of its seats in use between two points.",
    value: |sample| sample.free_seats(),
};
const TITLE: &str = "Sizes for intents";

pub(super) fn page(answer: &Answer, proposed: Option<&Examination>, release: Release) -> String {
    match answer {
        Answer::Sized(sizing) => of_sizing(sizing, proposed, release),
        Answer::Impossible(impossible) => {
            let mut lines = lines(impossible);
            lines.extend(proposed.iter().flat_map(|proposed| verdict_of(proposed)));
            Page::new(TITLE, &lines).html()
        }
        _ => Page::new(TITLE, &[]).html(),
    }
}

fn of_sizing(sizing: &Sizing, proposed: Option<&Examination>, release: Release) -> String {
    let mut summary = vec![verdict(sizing)];
    summary.extend(proposed.iter().flat_map(|proposed| verdict_of(proposed)));
    summary.extend(warnings(sizing));
    summary.push(Proof::LEFT_OUT.join(" "));
    let mut page = Page::new(TITLE, &summary);
    checks(&mut page, sizing, proposed);
    reasons(&mut page, sizing, release);
    if !sizing.tiers.is_empty() {
        tiers(&mut page, sizing);
    }
    let mut reports = vec![(", before", &sizing.reports.before)];
    reports.extend(proposed.map(|proposed| (", compared", &proposed.report)));
    reports.push((", after", &sizing.reports.after));
    let levels = busy(
        &reports
            .iter()
            .map(|(_, report)| *report)
            .collect::<Vec<_>>(),
    );
    for (when, report) in &reports {
        let limited = limited(report, &levels);
        over_time(&mut page, report, when, &limited, &[HEADROOM]);
        over_time(&mut page, report, when, &levels, &[OverTime::SEATS]);
    }
    compared_levels(&mut page, &sizing.reports.before, &sizing.reports.after);
    page.html()
}

fn limited(report: &Report, levels: &[String]) -> Vec<String> {
    let has_limit = |name: &&String| {
        let level = report.levels.iter().find(|level| level.name == **name);
        level.is_some_and(|level| level.limits.is_some())
    };
    levels.iter().filter(has_limit).cloned().collect()
}

fn checks(page: &mut Page, sizing: &Sizing, proposed: Option<&Examination>) {
    let mut table = Rows::new(&[
        "Configuration",
        "Load",
        "Intent",
        "Holds",
        "Requests",
        "Found",
        "Margin %",
    ]);
    let mut row = |configuration: &str, load: &str, check: &Check| {
        let margin = check.margin_percent();
        table.add(vec![
            configuration.to_owned(),
            load.to_owned(),
            check.name.clone(),
            if check.is_met() { "yes" } else { "no" }.to_owned(),
            requests(check),
            check.to_string(),
            margin.map_or_else(|| "-".to_owned(), |margin| format!("{margin:.0}")),
        ]);
    };
    for check in &sizing.before {
        row("before", "the whole load", check);
    }
    let proofs = proposed.map(|proposed| ("compared", &proposed.proof));
    for (configuration, proof) in proofs.into_iter().chain([("after", &sizing.proof)]) {
        for examined in &proof.examined {
            for check in &examined.checks {
                row(configuration, &examined.title, check);
            }
        }
    }
    page.table("Intents", &table);
}

fn reasons(page: &mut Page, sizing: &Sizing, release: Release) {
    let mut table = Rows::new(&["Priority level", "Intents", "Field", "Reason"]);
    for change in &sizing.changes {
        for reason in &change.reasons {
            table.add(vec![
                change.priority_level.name().to_owned(),
                change.intents.join(", "),
                reason.field_for(release).to_owned(),
                reason.text.clone(),
            ]);
        }
    }
    page.table("Changes", &table);
}

fn tiers(page: &mut Page, sizing: &Sizing) {
    let mut table = Rows::new(&["Tier", "Seats", "Price", "Is enough"]);
    let mut groups = Vec::new();
    for (tier, is_enough) in &sizing.tiers {
        table.add(vec![
            tier.name.clone(),
            tier.seats.to_string(),
            tier.price.to_string(),
            if *is_enough { "yes" } else { "no" }.to_owned(),
        ]);
        groups.push(Group {
            name: format!("{} ({} seats)", tier.name, tier.seats),
            bars: vec![Bar {
                label: if *is_enough {
                    "is enough"
                } else {
                    "is too small"
                },
                value: tier.price,
                unit: "",
                color: 0,
                is_faint: !is_enough,
            }],
        });
    }
    page.figure(
        "Cost of the tiers",
        "The prices of the tiers, the cheapest first. Tiers that cost more than the cheapest sufficient tier were not tried.",
        |width| bars(width, "Cost of the tiers", &groups),
        &table,
    );
}
