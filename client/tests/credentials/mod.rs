//! Credentials of requests, and secrets that are not shown.

#[cfg(target_os = "linux")]
mod pod;
#[cfg(feature = "ring")]
mod tls;

use crate::script::{Reply, Script};
use k8s_flowcontrol::Error;
use k8s_flowcontrol::config::{BearerToken, Config, ExecPlugin, ExecVersion, Secret};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

fn https() -> Config {
    Config::new("https://cluster.example").unwrap()
}

/// The header of a request with this configuration.
async fn authorization(config: Config) -> Result<http::HeaderValue, Error> {
    let script = Script::of([Reply::ok("{}")]);
    script.client_of(config).get_raw("/").await?;
    Ok(script.only().headers["authorization"].clone())
}

#[tokio::test]
async fn headers() {
    for (config, expected) in [
        (https().with_token("abc".into()), "Bearer abc"),
        (
            https().with_basic_auth("me", "secret".into()),
            "Basic bWU6c2VjcmV0",
        ),
    ] {
        let header = authorization(config).await.unwrap();
        assert_eq!(header, expected);
        assert!(header.is_sensitive());
    }
    let error = authorization(https().with_token("".into()))
        .await
        .unwrap_err();
    assert!(error.is_setup(), "{error}");
    assert!(error.to_string().contains("the token is empty"), "{error}");
}

#[tokio::test]
async fn the_token_of_a_file_wins() {
    let name = format!("k8s-flowcontrol-token-{}", std::process::id());
    let file = std::env::temp_dir().join(name);
    let user = |fields: &str| {
        let text = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: c\n\
             contexts: [{{name: c, context: {{cluster: c, user: u}}}}]\n\
             clusters: [{{name: c, cluster: {{server: 'https://cluster.example'}}}}]\n\
             users: [{{name: u, user: {{{fields}}}}}]\n"
        );
        Config::builder().text(text).build()
    };
    let error = user("tokenFile: /no/such/file").unwrap_err().to_string();
    assert!(error.contains("/no/such/file"), "{error}");
    assert!(error.contains("user `u`: tokenFile"), "{error}");
    let both = format!("tokenFile: {}, token: inline", file.display());
    let config = user(&both).unwrap();
    assert_eq!(
        authorization(config.clone()).await.unwrap(),
        "Bearer inline"
    );
    std::fs::write(&file, " rotated\n").unwrap();
    let header = authorization(config).await;
    std::fs::remove_file(&file).unwrap();
    assert_eq!(header.unwrap(), "Bearer rotated");
}

#[tokio::test]
async fn no_secret_is_shown() {
    let planted = || Secret::new("planted-secret");
    for config in [
        https().with_token(planted()),
        https().with_basic_auth("me", planted()),
        https().with_client_certificate("chain", planted()),
    ] {
        let shown = format!("{config:?} {config:#?}");
        assert!(!shown.contains("planted-secret"), "{shown}");
    }
    let odd = https().with_token(Secret::new("planted-secret\n\u{1}x"));
    let error = authorization(odd).await.unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("not valid in a header"), "{shown}");
    assert!(!shown.contains("planted-secret"), "{shown}");
}

/// The header of a plugin that prints a credential in v1.
#[cfg(unix)]
async fn printed(status: &str, version: ExecVersion) -> Result<http::HeaderValue, Error> {
    let head = "apiVersion: client.authentication.k8s.io/v1\nkind: ExecCredential\nstatus: ";
    let plugin = ExecPlugin::new("printf").args(["%s", &format!("{head}{status}")]);
    authorization(https().with_exec(plugin.version(version))).await
}

#[cfg(unix)]
#[tokio::test]
async fn invalid_credentials_of_plugins() {
    for (status, expected) in [
        ("", "no status"),
        ("{}", "neither a token"),
        ("{token: ''}", "neither a token"),
        ("{token: [planted-secret]}", "status.token"),
        ("{token: \"planted-secret\\n\"}", "not valid in a header"),
        ("{clientKeyData: planted-secret}", "only one of"),
        (
            "{token: planted-secret, expirationTimestamp: soon}",
            "RFC 3339",
        ),
        ("{token: planted-secret", "neither JSON nor YAML"),
    ] {
        let error = printed(status, ExecVersion::V1).await.unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains(expected), "{status}: {shown}");
        assert!(!shown.contains("planted"), "{shown}");
    }
    let valid = "{token: t}";
    assert_eq!(printed(valid, ExecVersion::V1).await.unwrap(), "Bearer t");
    let error = printed(valid, ExecVersion::V1Beta1).await.unwrap_err();
    assert!(error.to_string().contains("v1beta1"), "{error}");
}

/// The number of tokens that requests need which are sent at these times, in milliseconds, if each token is valid for `life`.
async fn tokens(life: Option<Duration>, times: &[u64]) -> u32 {
    let obtained = Arc::new(AtomicU32::new(0));
    let count = obtained.clone();
    let source = move || {
        count.fetch_add(1, Ordering::SeqCst);
        let token = BearerToken::new("t".into());
        let token = match life {
            Some(life) => token.with_expiry(SystemTime::now() + life),
            None => token,
        };
        async { Ok::<_, Infallible>(token) }
    };
    let script = Script::new(|_| Reply::ok("{}"));
    let client = script.client_of(https().with_token_source(source));
    let mut now = 0;
    for time in times {
        tokio::time::advance(Duration::from_millis(time - now)).await;
        now = *time;
        client.get_raw("/").await.unwrap();
        // For a renewal in the background.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }
    obtained.load(Ordering::SeqCst)
}

#[tokio::test(start_paused = true)]
async fn a_token_is_renewed_shortly_before_its_expiry() {
    assert_eq!(tokens(None, &[0, 1_000_000_000]).await, 1);
    assert_eq!(tokens(Some(Duration::ZERO), &[0, 0, 0]).await, 3);
    // A minute before it, or after nine tenths of a shorter life.
    for (life, due) in [(10_000, 9_940_000), (600, 540_000), (50, 45_000)] {
        let life = Some(Duration::from_secs(life));
        assert_eq!(tokens(life, &[0, due - 2000]).await, 1, "{life:?}");
        assert_eq!(tokens(life, &[0, due]).await, 2, "{life:?}");
    }
}
