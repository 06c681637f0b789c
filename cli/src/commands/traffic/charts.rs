//! The report as a web page.

use super::print::name_of_flow;
use crate::output::html::{Link, Page, Pair, Rows, Series, area, flows, pairs};
use crate::output::plural;
use k8s_flowcontrol_analysis::traffic::{Comparison, Report};
use std::collections::{BTreeMap, BTreeSet};

/// The most points on a time axis, and users in the chart of flows.
const POINTS: usize = 120;
const USERS: usize = 12;

pub(super) fn page(report: &Report) -> String {
    let mut summary = vec![format!(
        "{} requests in {} events",
        report.requests, report.events
    )];
    if let (Some(first), Some(last)) = (&report.first_request, &report.last_request) {
        summary.push(format!("They arrived from {first} to {last}"));
    }
    if report.unseen > 0 {
        summary.push(format!(
            "{} requests are not subject to flow control",
            report.unseen
        ));
    }
    if report.incomplete > 0 {
        summary.push(format!(
            "{} without an end in the logs, and so without seat-seconds",
            plural(report.incomplete, "request")
        ));
    }
    let gaps = report.coverage.notes.iter();
    summary.extend(gaps.map(|gap| format!("Gap in the logs: {gap}")));
    summary.extend(super::print::notes(report));
    let mut page = Page::new("Traffic of API Priority and Fairness", &summary);
    seats(&mut page, report);
    classes(&mut page, report);
    if let Some(comparison) = &report.comparison {
        compared(&mut page, comparison);
    }
    levels(&mut page, report);
    busiest(&mut page, report);
    deprecated(&mut page, report);
    page.html()
}

/// Seats over time by level.
fn seats(page: &mut Page, report: &Report) {
    let minutes: BTreeSet<_> = report
        .minutes
        .iter()
        .map(|minute| minute.minute.as_str())
        .collect();
    let minutes: Vec<_> = minutes.into_iter().collect();
    let index: BTreeMap<_, _> = minutes
        .iter()
        .enumerate()
        .map(|(index, minute)| (*minute, index))
        .collect();
    let per_point = minutes.len().div_ceil(POINTS).max(1);
    let points = minutes.len().div_ceil(per_point);
    let mut table = Rows::new(&["Minute", "Priority level", "Requests", "Mean seats"]);
    let mut values = BTreeMap::<&str, Vec<f64>>::new();
    for minute in &report.minutes {
        let point = index[minute.minute.as_str()] / per_point;
        let series = values
            .entry(&minute.priority_level)
            .or_insert_with(|| vec![0.0; points]);
        series[point] += minute.mean_seats / per_point as f64;
        table.add(vec![
            minute.minute.clone(),
            minute.priority_level.clone(),
            minute.requests.to_string(),
            minute.mean_seats.to_string(),
        ]);
    }
    let series: Vec<_> = values
        .into_iter()
        .map(|(name, values)| Series {
            name: name.to_owned(),
            values,
        })
        .collect();
    let (from, to) = (
        minutes.first().unwrap_or(&""),
        minutes.last().unwrap_or(&""),
    );
    page.figure(
        "Seats over time",
        "The mean of the seats in use during each minute, by priority level. Minutes without requests are left out.",
        |width| area(width, "Seats over time by priority level", &series, from, to),
        &table,
    );
}

/// The flow of users to schemas to levels.
fn classes(page: &mut Page, report: &Report) {
    let mut users = BTreeMap::<&str, u64>::new();
    for schema in &report.flow_schemas {
        for user in &schema.users {
            *users.entry(&user.name).or_default() += user.requests;
        }
    }
    let mut busiest: Vec<_> = users.into_iter().collect();
    busiest.sort_by_key(|(_, requests)| std::cmp::Reverse(*requests));
    let shown: BTreeSet<_> = busiest.iter().take(USERS).map(|(name, _)| *name).collect();
    let mut table = Rows::new(&[
        "User",
        "Flow schema",
        "Priority level",
        "Requests",
        "Estimated seats",
    ]);
    let mut links = Vec::new();
    for schema in &report.flow_schemas {
        let class = &schema.class;
        for user in &schema.users {
            let name = match (shown.contains(user.name.as_str()), user.name.is_empty()) {
                (false, _) => "other users",
                (true, true) => "(no user)",
                (true, false) => &user.name,
            };
            links.push(Link {
                names: vec![
                    name.to_owned(),
                    class.flow_schema.clone(),
                    class.priority_level.clone(),
                ],
                amount: user.requests,
            });
            table.add(vec![
                user.name.clone(),
                class.flow_schema.clone(),
                class.priority_level.clone(),
                user.requests.to_string(),
                user.seats.to_string(),
            ]);
        }
    }
    page.figure(
        "From users to priority levels",
        "The requests of users, by flow schema and priority level.",
        |width| {
            flows(
                width,
                "Requests by user, flow schema and level",
                &["Users", "Flow schemas", "Levels"],
                &links,
            )
        },
        &table,
    );
}

fn compared(page: &mut Page, comparison: &Comparison) {
    let mut table = Rows::new(&[
        "Priority level",
        "Requests before",
        "Requests after",
        "Seat-seconds before",
        "Seat-seconds after",
    ]);
    let mut changes = Vec::new();
    for level in &comparison.priority_levels {
        changes.push(Pair {
            name: level.name.clone(),
            before: level.before.requests as f64,
            after: level.after.requests as f64,
        });
        table.add(vec![
            level.name.clone(),
            level.before.requests.to_string(),
            level.after.requests.to_string(),
            level.before.seat_seconds.to_string(),
            level.after.seat_seconds.to_string(),
        ]);
    }
    page.figure(
        "Before and after",
        &format!(
            "The requests of each priority level with the present and with the proposed configuration. {} requests move.",
            comparison.moved_requests
        ),
        |width| pairs(width, "Requests before and after", "", &changes),
        &table,
    );
    let mut table = Rows::new(&["From", "Its level", "To", "Its level", "Requests", "Users"]);
    for moved in &comparison.moves {
        table.add(vec![
            moved.from.flow_schema.clone(),
            moved.from.priority_level.clone(),
            moved.to.flow_schema.clone(),
            moved.to.priority_level.clone(),
            moved.sums.requests.to_string(),
            super::print::names(&moved.users),
        ]);
    }
    page.table("Moves", &table);
}

fn levels(page: &mut Page, report: &Report) {
    let mut table = Rows::new(&[
        "Priority level",
        "Requests",
        "Estimated seats",
        "Seat-seconds",
        "Peak seats",
        "Rejected",
        "Users",
    ]);
    for level in &report.priority_levels {
        table.add(vec![
            level.name.clone(),
            level.sums.requests.to_string(),
            level.sums.seats.to_string(),
            level.sums.seat_seconds.to_string(),
            level.peak_seats.to_string(),
            level.sums.rejected.to_string(),
            level.users.to_string(),
        ]);
    }
    page.table("Priority levels", &table);
    let mut table = Rows::new(&[
        "Flow schema",
        "Priority level",
        "Requests",
        "Estimated seats",
        "Verbs",
    ]);
    for schema in &report.flow_schemas {
        table.add(vec![
            schema.class.flow_schema.clone(),
            schema.class.priority_level.clone(),
            schema.sums.requests.to_string(),
            schema.sums.seats.to_string(),
            super::print::names(&schema.verbs),
        ]);
    }
    for class in &report.unused_flow_schemas {
        table.add(vec![
            class.flow_schema.clone(),
            class.priority_level.clone(),
            "0".into(),
            "0".into(),
            String::new(),
        ]);
    }
    page.table("Flow schemas", &table);
}

fn busiest(page: &mut Page, report: &Report) {
    let mut table = Rows::new(&[
        "Flow",
        "Flow schema",
        "Requests",
        "Estimated seats",
        "Seat-seconds",
    ]);
    for flow in report.flows.iter().take(50) {
        table.add(vec![
            name_of_flow(flow, report).to_owned(),
            flow.flow_schema.clone(),
            flow.sums.requests.to_string(),
            flow.sums.seats.to_string(),
            flow.sums.seat_seconds.to_string(),
        ]);
    }
    page.table("Busiest flows", &table);
}

fn deprecated(page: &mut Page, report: &Report) {
    if report.deprecated.is_empty() {
        return;
    }
    let mut table = Rows::new(&[
        "Version",
        "Resource",
        "Removed in",
        "User",
        "User agent",
        "Requests",
    ]);
    for caller in &report.deprecated {
        let client = &caller.client;
        table.add(vec![
            client.api_version.clone(),
            client.resource.clone(),
            client.removed_release.clone(),
            client.user.clone(),
            client.user_agent.clone(),
            caller.requests.to_string(),
        ]);
    }
    page.table("Deprecated versions", &table);
}
