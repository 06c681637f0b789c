//! Debug dumps and flow names.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

use k8s_flowcontrol_analysis::dumps::{
    FlowName, FlowNames, SeatSeconds, parse_priority_levels, parse_queues, parse_requests,
};
use proptest::prelude::*;
use std::time::Duration;

const LEVELS: &str = include_str!("../fixtures/dumps/priority-levels.txt");
const QUEUES: &str = include_str!("../fixtures/dumps/queues.txt");
const REQUESTS: &str = include_str!("../fixtures/dumps/requests.txt");
const DETAILED: &str = include_str!("../fixtures/dumps/requests-with-details.txt");
const OF_GROUPS: &str = include_str!("../fixtures/dumps/requests-of-groups.txt");

#[test]
fn recorded_dumps_are_read() {
    let levels = parse_priority_levels(LEVELS).unwrap();
    assert_eq!((levels.rows.len(), levels.problems.len()), (12, 0));
    let loaded = levels
        .rows
        .iter()
        .find(|row| row.name == "load-queue")
        .unwrap();
    let state = loaded.state.as_ref().unwrap();
    assert_eq!(
        (state.active_queues, state.is_idle, state.waiting_requests),
        (3, false, 9)
    );
    assert_eq!(
        (state.dispatched_requests, state.rejected_requests),
        (Some(2), Some(5))
    );

    let queues = parse_queues(QUEUES).unwrap();
    assert_eq!((queues.rows.len(), queues.problems.len()), (8, 0));
    let queue = queues.rows[2].queue.as_ref().unwrap();
    assert_eq!(
        (queue.index, queue.pending_requests, queue.initial_seats_sum),
        (1, 3, Some(3))
    );
    assert_eq!(queue.next_dispatch.unwrap().units(), 6_267_401);

    let requests = parse_requests(REQUESTS).unwrap();
    assert_eq!((requests.rows.len(), requests.problems.len()), (16, 0));
    assert!(
        requests
            .rows
            .iter()
            .all(|row| row.request.as_ref().unwrap().details.is_none())
    );

    let detailed = parse_requests(DETAILED).unwrap();
    assert_eq!((detailed.rows.len(), detailed.problems.len()), (16, 0));
    let waiting = detailed.rows[2].request.as_ref().unwrap();
    assert_eq!((waiting.queue, waiting.index_in_queue), (Some(1), Some(0)));
    assert_eq!(
        (waiting.start_time.as_ref(), waiting.additional_latency),
        (None, Some(Duration::ZERO))
    );
    let details = waiting.details.as_ref().unwrap();
    assert_eq!(
        (details.user_name.as_str(), details.resource.as_str()),
        ("quinn", "configmaps")
    );
    let executing = detailed.rows.iter().filter_map(|row| row.request.as_ref());
    assert!(
        executing
            .filter(|r| r.index_in_queue.is_none())
            .all(|r| r.start_time.is_some())
    );
}

/// A program whose `main` returns the error prints it with `Debug`.
#[test]
fn another_text_is_an_error_that_names_the_titles() {
    let error = parse_requests("# HELP up\nup 1\n").unwrap_err();
    let titles = "not the expected dump: it does not start with the titles PriorityLevelName, FlowSchemaName";
    assert!(error.to_string().starts_with(titles), "{error}");
    assert_eq!(format!("{error:?}"), error.to_string());
}

#[test]
fn versions_have_their_group() {
    let dump = parse_requests(OF_GROUPS).unwrap();
    assert_eq!((dump.rows.len(), dump.problems.len()), (4, 0));
    let details = dump.rows[1].request.as_ref().unwrap().details.as_ref();
    assert_eq!(details.unwrap().api_version, "example.com/v2");
}

#[test]
fn older_releases_have_fewer_columns_and_rows_of_none() {
    let dump = parse_queues(
        "PriorityLevelName, Index,  PendingRequests, ExecutingRequests, SeatsInUse, NextDispatchR, InitialSeatsSum, MaxSeatsSum, TotalWorkSum\n\
         exempt,            <none>, <none>,          <none>,            <none>,     <none>,        <none>,          <none>,      <none>\n",
    )
    .unwrap();
    assert_eq!(
        (dump.rows[0].priority_level.as_str(), &dump.rows[0].queue),
        ("exempt", &None)
    );
    let dump = parse_requests(
        "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime\n\
         exempt,            <none>,         <none>,     <none>,              <none>,          <none>\n",
    )
    .unwrap();
    assert_eq!(dump.rows[0].request, None);
}

/// A dump with columns aligned as a server aligns them.
fn table(rows: &[Vec<&str>]) -> String {
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count() + 2)
            .max()
            .unwrap()
    };
    let mut text = String::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            let last = column + 1 == row.len();
            let cell = if last {
                (*cell).to_owned()
            } else {
                format!("{cell},")
            };
            text += &format!(
                "{cell:<width$}",
                width = if last { 0 } else { width(column).max(8) }
            );
        }
        text.push('\n');
    }
    text
}

const TITLES: [&str; 18] = [
    "PriorityLevelName",
    "FlowSchemaName",
    "QueueIndex",
    "RequestIndexInQueue",
    "FlowDistingsher",
    "ArriveTime",
    "InitialSeats",
    "FinalSeats",
    "AdditionalLatency",
    "StartTime",
    "UserName",
    "Verb",
    "APIPath",
    "Namespace",
    "Name",
    "APIVersion",
    "Resource",
    "SubResource",
];

fn row<'a>(distinguisher: &'a str, user: &'a str, path: &'a str) -> Vec<&'a str> {
    let time = "2026-11-20T15:57:05.123822482Z";
    vec![
        "low",
        "all",
        "3",
        "0",
        distinguisher,
        time,
        "1",
        "0",
        "0s",
        "0001-01-01T00:00:00Z",
        user,
        "get",
        path,
        "",
        "",
        "",
        "",
        "",
    ]
}

#[test]
fn alignment_decides_where_a_cell_ends() {
    let text = table(&[
        TITLES.to_vec(),
        row("doe, jane", "doe, jane", "/a,b, c"),
        row("", "x", "/"),
    ]);
    let dump = parse_requests(&text).unwrap();
    assert_eq!(dump.problems, []);
    let request = dump.rows[0].request.as_ref().unwrap();
    let details = request.details.as_ref().unwrap();
    assert_eq!(request.flow_distinguisher, "doe, jane");
    assert_eq!(
        (details.user_name.as_str(), details.api_path.as_str()),
        ("doe, jane", "/a,b, c")
    );
}

#[test]
fn without_alignment_the_other_columns_decide() {
    let text = |row: Vec<&str>| format!("{}\n{}\n", TITLES.join(", "), row.join(", "));
    let dump = parse_requests(&text(row("doe, jane", "doe, jane", "/a,b"))).unwrap();
    let request = dump.rows[0].request.as_ref().unwrap();
    assert_eq!(request.flow_distinguisher, "doe, jane");
    assert_eq!(request.details.as_ref().unwrap().api_path, "/a,b");
    // Ambiguous: user `u`, verb `get`, path `/x, get, /y`, or user `u, get, /x`, verb `get`, path `/y`.
    let dump = parse_requests(&text(row("u", "u", "/x, get, /y"))).unwrap();
    assert_eq!(dump.rows, []);
    assert_eq!(
        dump.problems[0].reason,
        "there are several ways to read the surplus commas"
    );
    let dump = parse_requests(&text(vec!["low", "all"])).unwrap();
    assert_eq!(
        (dump.problems[0].line, dump.problems[0].reason),
        (2, "there are fewer cells than titles")
    );
}

/// Columns of a later release, which may contain commas: the ways to split such a row grow exponentially with them.
#[test]
fn many_columns_with_commas_are_split_in_reasonable_time() {
    let mut titles = TITLES[..6].to_vec();
    titles.extend(["New"; 30]);
    titles.push("InitialSeats");
    let header = titles.join(",");
    let first = "low,all,0,0,user,2026-11-20T15:57:05Z";
    let surplus = ",a".repeat(30 + 20);
    // The last cell fits no way.
    let dump = parse_requests(&format!("{header}\n{first}{surplus},x\n")).unwrap();
    assert_eq!(dump.problems[0].reason, "there are more cells than titles");
    let dump = parse_requests(&format!("{header}\n{first}{surplus},1\n")).unwrap();
    assert_eq!(
        dump.problems[0].reason,
        "there are several ways to read the surplus commas"
    );
}

#[test]
fn cells_have_values() {
    let read = |column: usize, cell: &str| {
        let mut row = row("u", "u", "/");
        row[column] = cell;
        let dump = parse_requests(&table(&[TITLES.to_vec(), row])).unwrap();
        assert_eq!(dump.rows.len() + dump.problems.len(), 1);
        let row = dump.rows.into_iter().next();
        row.and_then(|row| row.request)
    };
    let latency = read(8, "1m30.5s").unwrap().additional_latency;
    assert_eq!(latency, Some(Duration::from_millis(90_500)));
    let start = |cell| read(9, cell).unwrap().start_time;
    // Go's zero time means never.
    assert_eq!(start("0001-01-01T00:00:00Z"), None);
    assert!(start("2026-11-20T15:57:05.399662206Z").is_some());
    for (column, cell) in [(8, "5x"), (9, "yesterday"), (5, "yesterday")] {
        assert_eq!(read(column, cell), None, "{cell}");
    }
}

#[test]
fn seat_seconds_do_not_overflow() {
    let most = "184467440737.09551615ss";
    assert_eq!(most.parse::<SeatSeconds>().unwrap().to_string(), most);
    for text in [
        "184467440737.09551616ss",
        "1.0ss",
        "0.00000000s",
        "+1.00000000ss",
        ".00000000ss",
    ] {
        assert!(text.parse::<SeatSeconds>().is_err(), "{text}");
    }
}

#[test]
fn other_tables_are_refused() {
    assert!(parse_queues(LEVELS).is_err());
    assert!(parse_priority_levels("").is_err());
    assert!(parse_requests("404 page not found\n").is_err());
}

#[test]
fn unknown_uids_differ_from_missing_mandatory_objects() {
    let names = FlowNames::default();
    assert_eq!(
        names.resolve("", ""),
        (FlowName::Imagined, FlowName::Imagined)
    );
    assert_eq!(
        names.resolve("u", "v"),
        (FlowName::Unknown("u"), FlowName::Unknown("v"))
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parsers_never_panic(
        header in proptest::sample::select(&[0, 1, 2, 3][..]),
        lines in proptest::collection::vec("([a-z0-9,: /<>-]|.){0,80}", 0..6),
    ) {
        let header = [LEVELS, QUEUES, REQUESTS, DETAILED][header].lines().next().unwrap();
        let text = format!("{header}\n{}", lines.join("\n"));
        let _ = (parse_priority_levels(&text), parse_queues(&text), parse_requests(&text));
        let text = lines.join("\n");
        let _ = (parse_priority_levels(&text), parse_queues(&text), parse_requests(&text));
    }

    #[test]
    fn aligned_user_names_come_back(user in "[ -~äßあ]{0,20}") {
        let user = user.trim();
        let text = table(&[TITLES.to_vec(), row(user, user, "/x")]);
        let dump = parse_requests(&text).unwrap();
        prop_assert_eq!(&dump.problems, &[]);
        let request = dump.rows[0].request.as_ref().unwrap();
        prop_assert_eq!(&request.flow_distinguisher, user);
        prop_assert_eq!(&request.details.as_ref().unwrap().user_name, user);
    }
}
