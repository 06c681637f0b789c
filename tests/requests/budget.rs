//! The retry budget that all requests of a client share.

use crate::requests::support::{hasty, schema};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol_server::{ApiServer, Fault};

async fn server(budget: impl Into<Option<u32>>) -> (ApiServer, Client) {
    let server = ApiServer::builder()
        .record_requests()
        .start()
        .await
        .unwrap();
    let config = Config::new(server.url()).unwrap();
    let config = config.with_retry_policy(hasty()).with_retry_budget(budget);
    (server, Client::new(config).unwrap())
}

#[tokio::test]
async fn an_overloaded_server_gets_few_retries() {
    let (server, client) = server(30).await;
    server.inject(Fault::rejected(0).times(100));
    // 4 retries take 20 tokens, 2 retries the rest; clones share the budget.
    for attempts in [5, 3, 1, 1, 1] {
        let error = client
            .clone()
            .flow_schemas()
            .get("exempt")
            .await
            .unwrap_err();
        assert!(error.is_rejected_by_flow_control(), "{error}");
        assert_eq!(error.attempts(), attempts);
        let says_so = error
            .to_string()
            .contains("the client's retry budget is used up");
        assert_eq!(says_so, attempts < 5, "{error}");
    }
    let error = client
        .flow_schemas()
        .create(&schema("mine"))
        .await
        .unwrap_err();
    assert_eq!(error.attempts(), 1);
    assert_eq!(server.requests().len(), 12);
}

#[tokio::test]
async fn the_rest_of_the_budget_is_known() {
    let (server, client) = server(30).await;
    let clone = client.clone();
    assert_eq!(client.retry_budget_left(), Some(30));
    server.inject(Fault::rejected(0).times(5));
    client.flow_schemas().get("exempt").await.unwrap_err();
    assert_eq!(clone.retry_budget_left(), Some(10), "four retries of 5");
    client.flow_schemas().get("exempt").await.unwrap();
    assert_eq!(clone.retry_budget_left(), Some(11));
    let config = Config::new(server.url()).unwrap().with_retry_budget(None);
    assert_eq!(Client::new(config).unwrap().retry_budget_left(), None);
}
