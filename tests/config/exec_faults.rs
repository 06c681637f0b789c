//! Faults of credential plugins.

use crate::config::exec::{client, credential, only, plugin};
use crate::config::support::{Folder, Server, ask};
use k8s_flowcontrol::config::ExecPlugin;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_hanging_plugin_is_not_a_write_that_may_have_taken_effect() {
    let server = Server::secure().await;
    let hanging = ExecPlugin::new("sleep").args(["60"]);
    let client = client(&server, hanging);
    let schema = k8s_flowcontrol::Resource::partial("mine");
    let schemas = client.api::<k8s_flowcontrol::api::v1::FlowSchema>();
    let create = schemas.create(&schema).timeout(Duration::from_millis(50));
    let error = create.await.unwrap_err();
    assert!(
        error.is_timeout() && !error.may_have_taken_effect(),
        "{error}"
    );
    assert_eq!(error.attempts(), 0);
    assert!(
        error
            .to_string()
            .contains("obtaining the credentials did not finish within 50ms"),
        "{error}"
    );
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_rejection_without_new_credentials_is_named() {
    let folder = Folder::new();
    let server = Server::answering(only("new")).await;
    folder.write("answer", credential(json!({"token": "old"})));
    let body = "cd \"$(dirname \"$0\")\" && cat answer && rm answer";
    let client = client(&server, ExecPlugin::new(folder.script("once", body)));
    let error = ask(&client).await.unwrap_err();
    assert!(error.is_setup(), "{error:?}");
    assert_eq!(error.attempts(), 1);
    assert!(
        error
            .to_string()
            .contains("the server answered 401, and the credentials"),
        "{error}"
    );
}

#[tokio::test]
async fn faults_are_told_and_the_next_request_tries_again() {
    let folder = Folder::new();
    let server = Server::secure().await;
    let client_of = |body: &str| {
        let script = folder.script("failing", body);
        client(
            &server,
            ExecPlugin::new(script).install_hint("see the manual"),
        )
    };
    for (body, expected) in [
        ("exit 3", "failed with exit code 3"),
        ("kill -9 $$", "was terminated by signal 9"),
        ("echo planted-secret", "not of the kind ExecCredential"),
        ("echo '{planted-secret'", "neither JSON nor YAML"),
        ("yes planted-secret", "printed more than"),
        ("", "ExecCredential"),
    ] {
        let error = ask(&client_of(body)).await.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains(expected), "{body}: {shown}");
        assert!(shown.contains("failing"), "{shown}");
        // It is installed.
        assert!(!shown.contains("see the manual"), "{shown}");
        assert!(!shown.contains("planted"), "{shown}");
        assert!(!error.is_retryable());
    }
    assert!(server.requests().is_empty());

    let missing = ExecPlugin::new(folder.path("missing")).install_hint("see the manual");
    let error = ask(&client(&server, missing))
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("was not found; how to install it: see the manual"),
        "{error}"
    );

    // The script is there, and its interpreter is not.
    let script = folder.program("orphan", "#!/no/such/interpreter\n");
    let orphan = client(&server, ExecPlugin::new(script));
    let error = ask(&orphan).await.unwrap_err().to_string();
    assert!(
        error.ends_with("its interpreter or dynamic linker was not found"),
        "{error}"
    );

    let recovering = client(&server, plugin(&folder));
    assert!(
        ask(&recovering).await.is_err(),
        "the plugin does not have an answer yet"
    );
    folder.write("answer", credential(json!({"token": "t"})));
    ask(&recovering).await.unwrap();
}
