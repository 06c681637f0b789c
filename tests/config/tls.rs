//! Server and client certificates.

use crate::config::support::{
    Authority, Identity, Notices, Server, ask_with, own_authority, traditional_key,
};
use k8s_flowcontrol::config::{Config, Secret};
use k8s_flowcontrol::{Client, Resource};
use rcgen::ExtendedKeyUsagePurpose as Usage;

fn trusting(server: &Server, authority: &Authority) -> Config {
    Config::new(server.url())
        .unwrap()
        .with_certificate_authority(authority.pem.clone())
}

#[tokio::test]
async fn an_authority_vouches_for_the_server() {
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["127.0.0.1"])).await;
    ask_with(trusting(&server, &authority)).await.unwrap();
    let several = format!("{}{}", Authority::new("other").pem, authority.pem);
    let config = Config::new(server.url()).unwrap();
    ask_with(config.clone().with_certificate_authority(several))
        .await
        .unwrap();

    for config in [config.clone(), trusting(&server, &Authority::new("one"))] {
        let error = ask_with(config).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("the TLS connection to"), "{text}");
        assert!(text.contains("invalid peer certificate"), "{text}");
        assert!(!error.is_retryable());
    }
    ask_with(config.with_insecure_skip_tls_verify(true))
        .await
        .unwrap();
}

const RENEW: &str = "renew the certificate, or correct the clock of this machine";
const CHECK: &str = "check the name and the certificate authority in the configuration";

/// A server with this certificate gets no request, unless verification is off.
async fn rejected(authority: &Authority, identity: &Identity, reason: &str, remedy: &str) {
    let server = Server::tls(identity).await;
    let config = trusting(&server, authority);
    let error = ask_with(config.clone()).await.unwrap_err().to_string();
    assert!(error.contains(reason) && error.ends_with(remedy), "{error}");
    assert!(server.requests().is_empty());
    ask_with(config.with_insecure_skip_tls_verify(true))
        .await
        .unwrap();
}

#[tokio::test]
async fn an_expired_certificate_is_an_error() {
    let authority = Authority::new("one");
    let identity = authority.sign_between(&["127.0.0.1"], 2000..2010);
    rejected(&authority, &identity, "expired", RENEW).await;
}

#[tokio::test]
async fn a_certificate_that_is_not_valid_yet_is_an_error() {
    let authority = Authority::new("one");
    let identity = authority.sign_between(&["127.0.0.1"], 2990..2999);
    rejected(&authority, &identity, "not valid yet", RENEW).await;
}

#[tokio::test]
async fn a_certificate_for_another_name_is_an_error() {
    let authority = Authority::new("one");
    let identity = authority.sign(&["other.example"]);
    rejected(&authority, &identity, "not valid for", CHECK).await;
}

#[tokio::test]
async fn an_address_is_neither_a_name_nor_another_address() {
    let authority = Authority::new("one");
    let identity = authority.sign(&["127.0.0.2", "localhost"]);
    rejected(&authority, &identity, "not valid for", CHECK).await;
}

/// Nothing is trusted. An absent authority means the authorities of the operating system.
#[tokio::test]
async fn an_empty_authority_is_an_error() {
    let server = Server::tls(&Authority::new("one").sign(&["127.0.0.1"])).await;
    for empty in ["", "\n"] {
        let config = Config::new(server.url()).unwrap();
        let config = config.with_certificate_authority(empty);
        let error = ask_with(config).await.unwrap_err().to_string();
        let expected = "certificate authority: expected a certificate in PEM";
        assert!(error.contains(expected), "{error}");
        assert!(server.requests().is_empty());
    }
}

#[tokio::test]
async fn another_name_is_asked_for_and_checked() {
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["api.example"])).await;
    let config = trusting(&server, &authority);
    assert!(ask_with(config.clone()).await.is_err());
    ask_with(config.clone().with_tls_server_name("api.example").unwrap())
        .await
        .unwrap();
    let request = server.requests().remove(0);
    assert_eq!(request.sni.as_deref(), Some("api.example"));
    // The header `Host` still names the server of the URL.
    assert_eq!(request.header("host"), Some(&*server.address.to_string()));

    let wrong = config
        .clone()
        .with_tls_server_name("other.example")
        .unwrap();
    let error = ask_with(wrong).await.unwrap_err().to_string();
    assert!(error.contains("other.example"), "{error}");
    assert!(config.with_tls_server_name("not a name").is_err());
}

#[tokio::test]
async fn an_address_may_be_the_name() {
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["10.9.8.7"])).await;
    let config = trusting(&server, &authority)
        .with_tls_server_name("10.9.8.7")
        .unwrap();
    ask_with(config).await.unwrap();
}

#[tokio::test]
async fn servers_with_ipv6_addresses() {
    let authority = Authority::new("one");
    let tls = vec![authority.sign(&["::1"]).server(None)];
    let server = Server::start("[::1]:0", tls, crate::config::support::found).await;
    assert!(server.url().starts_with("https://[::1]:"));
    ask_with(trusting(&server, &authority)).await.unwrap();
}

#[tokio::test]
async fn client_certificates_with_keys_in_every_form() {
    let authority = Authority::new("one");
    let clients = Authority::new("clients");
    let server = Server::mutual(&authority.sign(&["127.0.0.1"]), &clients).await;
    let config = trusting(&server, &authority);
    let error = ask_with(config.clone()).await.unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("configure a client certificate that the server accepts"),
        "{error}"
    );
    // With TLS 1.3 the request was on its way, and the server has not read it.
    let create = Client::new(config.clone()).unwrap().flow_schemas();
    let error = create.create(&Resource::partial("mine")).await.unwrap_err();
    assert!(
        error.is_connect() && !error.may_have_taken_effect(),
        "{error}"
    );

    let rsa = include_str!("../fixtures/rsa_key.pem");
    let rsa = clients.sign_pem(&["rsa"], rsa);
    let curve = clients.sign(&["curve"]);
    let pkcs1 = traditional_key(&rsa.key, "RSA PRIVATE KEY");
    let sec1 = traditional_key(&curve.key, "EC PRIVATE KEY");
    for (chain, key) in [
        (&rsa.chain, &rsa.key),
        (&rsa.chain, &pkcs1),
        (&curve.chain, &curve.key),
        (&curve.chain, &sec1),
    ] {
        let key = Secret::new(key.clone());
        let config = config.clone().with_client_certificate(chain.clone(), key);
        ask_with(config).await.unwrap();
        assert!(server.requests().last().unwrap().certificate.is_some());
    }
    let stranger = Authority::new("clients").sign(&["stranger"]);
    let key = Secret::new(stranger.key);
    let config = config.with_client_certificate(stranger.chain, key);
    assert!(ask_with(config).await.is_err());
}

#[tokio::test]
async fn a_whole_chain_is_shown() {
    let root = Authority::new("root");
    let between = root.intermediate("between");
    let mut server = between.sign(&["127.0.0.1"]);
    server.chain += &between.pem;
    let mut client = between.sign(&["me"]);
    let server = Server::mutual(&server, &root).await;
    let config = trusting(&server, &root);
    let key = Secret::new(client.key.clone());
    let short = config
        .clone()
        .with_client_certificate(client.chain.clone(), key.clone());
    assert!(ask_with(short).await.is_err());
    client.chain += &between.pem;
    ask_with(config.with_client_certificate(client.chain, key))
        .await
        .unwrap();
}

/// `openssl x509 -req` makes certificates of X.509 version 1, which only the server judges.
#[tokio::test]
async fn a_client_certificate_of_version_1() {
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["127.0.0.1"])).await;
    let chain = include_str!("../fixtures/client_v1.pem");
    let key = Secret::new(authority.sign(&["me"]).key);
    let config = trusting(&server, &authority).with_client_certificate(chain, key);
    ask_with(config).await.unwrap();
}

#[tokio::test]
async fn a_key_that_is_another_certificates() {
    let authority = Authority::new("one");
    let (one, other) = (authority.sign(&["one"]), authority.sign(&["other"]));
    let config = Config::new("https://127.0.0.1:1")
        .unwrap()
        .with_client_certificate(one.chain, Secret::new(other.key));
    let error = ask_with(config).await.unwrap_err().to_string();
    assert!(
        error.contains("client certificate: it cannot be used"),
        "{error}"
    );
}

#[tokio::test]
async fn a_listed_certificate_needs_no_other_authority() {
    let ask_listing = async |identity: &Identity, listed: &str| {
        let server = Server::tls(identity).await;
        let config = Config::new(server.url()).unwrap();
        ask_with(config.with_certificate_authority(listed)).await
    };
    let own = own_authority("127.0.0.1", 2999, Usage::ServerAuth);
    let any = own_authority("127.0.0.1", 2999, Usage::Any);
    let issued = Authority::new("unlisted").sign(&["127.0.0.1"]);
    for identity in [&own, &any, &issued] {
        let listed = format!("{}{}", Authority::new("other").pem, identity.chain);
        ask_listing(identity, &listed).await.unwrap();
    }
    // Names, dates and purposes are verified, and equal names are not a proof.
    let twin = own_authority("127.0.0.1", 2999, Usage::ServerAuth);
    for (identity, listed, expected) in [
        (
            own_authority("other.example", 2999, Usage::ServerAuth),
            None,
            "not valid for",
        ),
        (
            own_authority("127.0.0.1", 2010, Usage::ServerAuth),
            None,
            "expired",
        ),
        (
            own_authority("127.0.0.1", 2999, Usage::ClientAuth),
            None,
            "not for servers, by its extended key usage; replace it by one with the usage `serverAuth`",
        ),
        (
            own,
            Some(twin.chain),
            "the presented certificate is that of an authority; list it as a certificate authority",
        ),
    ] {
        let listed = listed.unwrap_or(identity.chain.clone());
        let error = ask_listing(&identity, &listed).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error:?}");
    }
}

#[tokio::test]
async fn malformed_certificates_of_a_bundle_are_skipped() {
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["127.0.0.1"])).await;
    let block = |content: &str| {
        format!("-----BEGIN CERTIFICATE-----\n{content}\n-----END CERTIFICATE-----\n")
    };
    let notices = Notices::collect();
    for (before, after) in [
        (block("b%%l"), String::new()),
        (block("bm90IGEgY2VydGlmaWNhdGU="), String::new()),
        (
            "-----BEGIN CERTIFICATE-----\nb25l\n".to_owned(),
            String::new(),
        ),
        (String::new(), block("b25l").replace("-----END", "")),
        (block("b%%l"), block("b25l")),
    ] {
        let bundle = format!("{before}{}{after}", authority.pem);
        let config = Config::new(server.url()).unwrap();
        ask_with(config.with_certificate_authority(bundle))
            .await
            .unwrap();
        let reported = notices.take().join("\n");
        let expected = "certificate authority: unusable certificates were skipped (line ";
        assert!(
            reported.starts_with(expected),
            "{before}{after}: {reported}"
        );
    }
    ask_with(trusting(&server, &authority)).await.unwrap();
    assert!(notices.take().is_empty());

    let config = Config::new(server.url()).unwrap();
    let config = config.with_certificate_authority(block("b%%l"));
    let error = ask_with(config).await.unwrap_err().to_string();
    assert!(
        error.contains("it contains no usable certificate"),
        "{error}"
    );
}

/// As Go's `encoding/pem` reads them.
#[tokio::test]
async fn the_blocks_of_a_bundle() {
    const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
    const END: &str = "-----END CERTIFICATE-----";
    let authority = Authority::new("one");
    let server = Server::tls(&authority.sign(&["127.0.0.1"])).await;
    let notices = Notices::collect();
    // Its base64 in lines.
    let good = authority.pem.trim().replace("\r\n", "\n");
    let base64 = good.strip_prefix(BEGIN).unwrap().strip_suffix(END).unwrap();
    let skipped = async |bundle: String| {
        let config = Config::new(server.url()).unwrap();
        let result = ask_with(config.with_certificate_authority(bundle)).await;
        let reported = notices.take().join("\n");
        let lines = reported.split_once("skipped (").unwrap_or_default().1;
        let lines = lines.split_once(')').unwrap_or_default().0.to_owned();
        result.map(|()| lines).map_err(|error| error.to_string())
    };
    let key = "-----BEGIN PRIVATE KEY-----\nb25l\n-----END PRIVATE KEY-----\n";
    for (bundle, lines) in [
        (good.clone(), ""),
        (format!("# one\n{good}\r\n"), ""),
        (
            format!(
                "{BEGIN}  \n {}\n{END}  ",
                base64.trim().replace('\n', "\r\n\t ")
            ),
            "",
        ),
        (format!("{key}{good}"), ""),
        (format!("{key}{BEGIN}\nb25l\n{END}\n{good}"), "line 4"),
        (
            format!("# one\n{BEGIN}\nb25l\n{END}\r\n{BEGIN}  \r\n{END}\n{good}"),
            "line 2, line 5",
        ),
        // A block without its end does not hide the next one.
        (format!("{BEGIN}\nb25l\n{good}\n"), "line 1"),
        (format!("{BEGIN}\nb%%l\n{END}\n{good}\n"), "line 1"),
        // A header line, which certificates do not have.
        (format!("{BEGIN}\nA: b\n{base64}\n{END}\n{good}"), "line 1"),
        (format!(" {BEGIN}\nb25l\n{END}\n{good}"), ""),
    ] {
        assert_eq!(
            skipped(bundle.clone()).await.as_deref(),
            Ok(lines),
            "{bundle}"
        );
    }
    for rubbish in [format!(" {good}"), "rubbish".to_owned(), key.to_owned()] {
        let error = skipped(rubbish).await.unwrap_err();
        assert!(error.contains("expected a certificate in PEM"), "{error}");
    }
}
