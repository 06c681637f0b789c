//! Control planes of several API servers.

use crate::cluster::Cluster;
use crate::common::closed_address;
use k8s_flowcontrol::meta::Status;
use k8s_flowcontrol_server::{ApiServer, Builder, Fault};
use std::net::SocketAddr;

/// A server and its peer, with these seats.
async fn two(seats: [u32; 2]) -> (ApiServer, Cluster) {
    let one = ApiServer::builder().server_seats(seats[0]);
    let one = one.start().await.unwrap();
    let builder = ApiServer::builder().server_seats(seats[1]);
    let two = Cluster::start(builder.peers([address(&one)])).await;
    (one, two)
}

fn address(server: &ApiServer) -> SocketAddr {
    ([127, 0, 0, 1], server.port()).into()
}

#[tokio::test(flavor = "multi_thread")]
async fn top_adds_up_all_servers() {
    let (one, two) = two([600, 600]).await;
    let top = two.run(&["top", "-o", "json"]).expect(0).json();
    let mut addresses = [address(&one), address(&two.server)].map(|address| address.to_string());
    addresses.sort();
    let mut found: Vec<_> = top["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|server| server["address"].as_str().unwrap())
        .collect();
    found.sort_unstable();
    assert_eq!(found, addresses);
    let seats = |levels: &serde_json::Value| {
        let levels = levels.as_array().unwrap().iter();
        let mut low = levels.filter(|level| level["name"] == "workload-low");
        low.next().unwrap()["seats"].as_i64().unwrap()
    };
    assert_eq!(
        seats(&top["levels"]),
        2 * seats(&top["servers"][0]["levels"])
    );
    let text = two.run(&["top", "--once"]).expect(0).out;
    assert!(text.contains("2 API servers responded"), "{text}");
    assert_eq!(text.matches("\nworkload-low ").count(), 2, "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_has_a_table_for_each_number_of_seats() {
    let (one, two) = two([600, 300]).await;
    let text = two.run(&["seats", "--live"]).expect(0).out;
    let first = text.find("300 seats per server").unwrap();
    let second = text.find("600 seats per server").unwrap();
    assert!(first < second, "{text}");
    assert!(!text.contains("others may differ"), "{text}");
    let levels = two.run(&["seats", "--live", "-o", "json"]).expect(0).json();
    let levels = levels.as_array().unwrap();
    let of_one = levels
        .iter()
        .filter(|level| level["servers"][0] == address(&one).to_string());
    assert_eq!(of_one.count() * 2, levels.len());

    let (_one, same) = two_equal().await;
    let text = same.run(&["seats", "--live"]).expect(0).out;
    assert_eq!(text.matches("seats per server").count(), 1, "{text}");
    assert!(
        text.contains("(metrics of 127.0.0.1:") && text.contains(" and 127.0.0.1:"),
        "{text}"
    );
}

async fn two_equal() -> (ApiServer, Cluster) {
    two([150, 150]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_do_not_respond_are_named() {
    let gone = closed_address();
    let cluster = Cluster::start(ApiServer::builder().peers([gone])).await;
    let text = cluster.run(&["top", "--once"]).expect(0).out;
    let note = format!("the API server {gone} was not asked:");
    assert!(
        text.contains("1 API server responded") && text.contains(&note),
        "{text}"
    );
    let ran = cluster.run(&["seats", "--live"]).expect(0);
    assert!(ran.err.contains(&note), "{}", ran.err);
    assert!(ran.out.contains("; others may differ)"), "{}", ran.out);
}

async fn without(fault: Fault) -> Cluster {
    let builder: Builder = ApiServer::builder();
    Cluster::start(builder.fault(fault.times(10).on_path("/endpointslices"))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn without_endpoint_slices_the_one_server_is_asked() {
    let status = || Status {
        message: Some("no permission".to_owned()),
        ..Status::default()
    };
    for fault in [
        Fault::status(403, status()),
        Fault::status(404, status()),
        Fault::garbage(),
    ] {
        let cluster = without(fault.clone()).await;
        let text = cluster.run(&["top", "--once"]).expect(0).out;
        let url = cluster.server.url();
        let note = format!("only the API server that responds at {url}");
        assert!(text.contains(&note), "{fault:?}: {text}");
        assert!(
            text.contains("1 API server responded, reached by its address"),
            "{text}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_certificate_is_compared_with_the_name_of_the_cluster() {
    let one = ApiServer::builder().tls().start().await.unwrap();
    let two = Cluster::start(ApiServer::builder().tls().peers([address(&one)])).await;
    // The other server has another authority.
    let text = two.run(&["top", "--once"]).expect(0).out;
    let note = format!("the API server {} was not asked:", address(&one));
    assert!(
        text.contains(&note) && text.contains("certificate"),
        "{text}"
    );
    // The address of the cluster has a name that the addresses of the servers do not have.
    let kubeconfig = two.server.kubeconfig().replace("127.0.0.1", "localhost");
    let file = two.file("by-name", &kubeconfig);
    let text = two.run_with(&file, &["top", "--once"]).expect(0).out;
    let reached = format!("reached by its address at {}", address(&two.server));
    assert!(text.contains(&reached), "{text}");
    // Without verification the token would go to any address.
    let insecure = two.server.kubeconfig();
    let authority = insecure
        .lines()
        .find(|line| line.contains("certificate-authority-data"))
        .unwrap();
    let insecure = insecure.replace(authority, "    insecure-skip-tls-verify: true");
    let file = two.file("insecure", &insecure);
    let text = two.run_with(&file, &["top", "--once"]).expect(0).out;
    assert!(text.contains("insecure-skip-tls-verify is set"), "{text}");
    assert!(
        text.contains("only the API server that responds at https://"),
        "{text}"
    );
}
