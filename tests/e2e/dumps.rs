//! The dumps of the embedded server, read by `rules::dumps`.

use crate::e2e::support::text;
use k8s_flowcontrol::GROUP;
use k8s_flowcontrol::rules::sharding::{Dealer, flow_hash};
use k8s_flowcontrol_analysis::dumps::{
    Dump, NotADump, PriorityLevelRow, QueueRow, RequestRow, parse_priority_levels, parse_queues,
    parse_requests,
};
use k8s_flowcontrol_server::ApiServer;

const MANAGER: &str = "system:kube-controller-manager";
const TOKENS: &str = "admin,admin,1,\"system:masters\"\nmanager,system:kube-controller-manager,2\n";

async fn server(release: &str) -> ApiServer {
    let server = ApiServer::builder().kubernetes(release).tokens(TOKENS);
    server.start().await.unwrap()
}

/// Checks that every row of a table was read.
async fn table<R>(
    server: &ApiServer,
    name: &str,
    parse: fn(&str) -> Result<Dump<R>, NotADump>,
) -> Vec<R> {
    let path = format!("/debug/api_priority_and_fairness/{name}");
    let text = text(server, &path, "admin").await;
    let dump = parse(&text).unwrap();
    assert!(dump.problems.is_empty(), "{:?} in\n{text}", dump.problems);
    dump.rows
}

async fn levels(server: &ApiServer) -> Vec<PriorityLevelRow> {
    table(server, "dump_priority_levels", parse_priority_levels).await
}

async fn queues(server: &ApiServer) -> Vec<QueueRow> {
    table(server, "dump_queues", parse_queues).await
}

async fn requests(server: &ApiServer) -> Vec<RequestRow> {
    table(
        server,
        "dump_requests?includeRequestDetails=1",
        parse_requests,
    )
    .await
}

#[tokio::test]
async fn levels_come_with_the_columns_of_the_release() {
    let names = |rows: &[PriorityLevelRow]| -> Vec<String> {
        rows.iter().map(|row| row.name.clone()).collect()
    };
    let expected = [
        "catch-all",
        "exempt",
        "global-default",
        "leader-election",
        "node-high",
        "system",
        "workload-high",
        "workload-low",
    ];
    for (release, counts) in [
        ("1.25", false),
        ("1.27", false),
        ("1.28", true),
        ("1.36", true),
    ] {
        let server = server(release).await;
        let rows = levels(&server).await;
        assert_eq!(names(&rows), expected, "{release}");
        let [_, exempt, default, ..] = rows.as_slice() else {
            panic!("{release}: {rows:?}");
        };
        // The requests run as `system:masters`, whose level older releases omit.
        let exempt = exempt.state.as_ref();
        assert_eq!(exempt.is_some(), counts, "{release}");
        if let Some(exempt) = exempt {
            assert_eq!((exempt.executing_requests, exempt.is_idle), (1, false));
            assert!(exempt.dispatched_requests >= Some(1), "{exempt:?}");
        }
        let default = default.state.as_ref().unwrap();
        assert!(default.is_idle && !default.is_quiescing);
        assert_eq!(default.dispatched_requests.is_some(), counts, "{release}");
    }
}

#[tokio::test]
async fn every_queue_has_a_row() {
    let server = server("1.29").await;
    let rows = queues(&server).await;
    let count = |level: &str| {
        let of_level = rows.iter().filter(|row| row.priority_level == level);
        of_level.filter(|row| row.queue.is_some()).count()
    };
    assert_eq!((count("workload-low"), count("leader-election")), (128, 16));
    assert_eq!(count("catch-all"), 0);
    let mut queues = rows.iter().filter_map(|row| row.queue.as_ref());
    assert!(queues.all(|queue| queue.pending_requests == 0 && queue.executing_requests == 0));
}

#[tokio::test]
async fn a_request_is_seen_in_all_tables_while_it_executes() {
    let server = server("1.29").await;
    // This request waits three seconds for a future resource version.
    let path = format!("/apis/{GROUP}/v1/flowschemas?resourceVersion=9999999");
    let port = server.port();
    let waiting = crate::spawn(waiting_list(port, path.clone()));
    let (request, rows) = loop {
        assert!(!waiting.is_finished(), "no table showed the request");
        let rows = queues(&server).await;
        let mut requests = requests(&server).await.into_iter();
        let of_manager = requests.find(|row| row.priority_level == "workload-high");
        let is_told = |row: &&QueueRow| {
            let queue = row.queue.as_ref();
            queue.is_some_and(|queue| queue.executing_requests == 1)
        };
        let rows: Vec<_> = rows.iter().filter(is_told).cloned().collect();
        if let (Some(request), false) = (of_manager, rows.is_empty()) {
            break (request.request.unwrap(), rows);
        }
    };
    waiting.abort();

    assert_eq!(request.flow_schema, "kube-controller-manager");
    assert_eq!(request.flow_distinguisher, "");
    assert_eq!(request.index_in_queue, None);
    let [row] = rows.as_slice() else {
        panic!("{rows:?}");
    };
    let queue = row.queue.as_ref().unwrap();
    assert_eq!(row.priority_level, "workload-high");
    assert_eq!(request.queue.map(i64::from), Some(queue.index));
    let hand = Dealer::new(128, 6).unwrap();
    let hand = hand.deal(flow_hash("kube-controller-manager", ""));
    assert!(hand.contains(&(queue.index as u32)), "{queue:?}");
    let details = request.details.unwrap();
    assert_eq!(details.user_name, MANAGER);
    assert_eq!(details.api_version, format!("{GROUP}/v1"));
    assert_eq!(
        (details.verb.as_str(), details.api_path.as_str()),
        ("list", path.split('?').next().unwrap())
    );
}

async fn waiting_list(port: u16, path: String) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port))
        .await
        .unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer manager\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut first = [0];
    stream.read_exact(&mut first).await.unwrap();
}
