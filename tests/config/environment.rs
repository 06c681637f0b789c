//! Environment variables: each test runs this program again with another environment.

use crate::config::kubeconfig::document;
use crate::config::support::{Authority, Folder, HttpProxy, Server, ask};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::config::Config;
use serde_json::json;

/// Runs an ignored test below and returns its output.
fn child(test: &str, variables: &[(&str, &str)]) -> String {
    let mut command = crate::child(test);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "REQUEST_METHOD"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    command
        .env_remove("KUBECONFIG")
        .env("HOME", "/no/such/home");
    command.env_remove("KUBERNETES_SERVICE_HOST");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn kubeconfig_in_the_environment() {
    let folder = Folder::new();
    let server = Server::secure().await;
    let cluster = server.cluster();
    let first = folder.write(
        "first",
        document(cluster.clone(), json!({"token": "first"})),
    );
    let home = folder.write(
        "home/.kube/config",
        document(cluster, json!({"token": "home"})),
    );
    let list = format!("/no/such/file:{}:{}", first.display(), home.display());
    let home = folder.path("home");
    let home = home.to_str().unwrap();
    for (variables, expected) in [
        (vec![("KUBECONFIG", &*list), ("HOME", home)], "first"),
        (vec![("HOME", home)], "home"),
        (vec![("KUBECONFIG", ""), ("HOME", home)], "home"),
    ] {
        let printed = child("config::environment::child_asks", &variables);
        assert!(printed.contains("came through"), "{printed}");
        let sent = server.last_header("authorization").unwrap();
        assert_eq!(sent, format!("Bearer {expected}"));
    }
    let printed = child(
        "config::environment::child_asks",
        &[("KUBECONFIG", "/no/such/file")],
    );
    let expected = "kubeconfig (from KUBECONFIG) /no/such/file cannot be read";
    assert!(printed.contains(expected), "{printed}");
    let both = [("KUBECONFIG", "/no/such/file:/no/such/other")];
    let printed = child("config::environment::child_asks", &both);
    assert!(
        printed.contains("/no/such/other (from KUBECONFIG)"),
        "{printed}"
    );
    let printed = child("config::environment::child_asks", &[("KUBECONFIG", "::")]);
    assert!(printed.contains("names no file"), "{printed}");
    let printed = child("config::environment::child_asks", &[]);
    assert!(printed.contains("no configuration found"), "{printed}");
    let printed = child("config::environment::child_without_pod_and_files", &[]);
    for expected in [
        "the program does not run in a pod: KUBERNETES_SERVICE_HOST is not set",
        "the user `u` does not exist: KUBECONFIG is not set and ~/.kube/config does not exist",
        "there are no contexts: KUBECONFIG is not set",
    ] {
        assert!(printed.contains(expected), "{printed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_of_the_path_without_its_interpreter() {
    let folder = Folder::new();
    let server = Server::secure().await;
    folder.program("orphan", "#!/no/such/interpreter\n");
    let path = folder.path("");
    let ask = |command: &str| {
        let plugin = json!({"exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": command,
            "interactiveMode": "Never",
        }});
        let config = folder.write("config", document(server.cluster(), plugin));
        let variables = [
            ("KUBECONFIG", config.to_str().unwrap()),
            ("PATH", path.to_str().unwrap()),
        ];
        child("config::environment::child_asks", &variables)
    };
    let printed = ask("orphan");
    let expected = "`orphan` could not be started: its interpreter or dynamic linker was not found";
    assert!(printed.contains(expected), "{printed}");
    let printed = ask("missing");
    assert!(printed.contains("`missing` was not found"), "{printed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn proxies_in_the_environment() {
    let folder = Folder::new();
    let server = Server::plain().await;
    let proxy = HttpProxy::to(server.address).await;
    let url = format!("http://{}", proxy.address);
    let there = |host: &str| {
        let text = document(json!({"server": format!("http://{host}")}), json!({}));
        folder
            .write("kubeconfig", text)
            .to_str()
            .unwrap()
            .to_owned()
    };
    // An address of this host that is not recognised as loopback.
    let port = server.address.port();
    let file = there(&format!("0.0.0.0:{port}"));
    let came_through = |variables: &[(&str, &str)]| {
        let before = proxy.asked().len();
        let variables = [&[("KUBECONFIG", &*file)], variables].concat();
        let printed = child("config::environment::child_asks", &variables);
        assert!(printed.contains("came through"), "{printed}");
        proxy.asked().len() > before
    };
    for name in ["HTTP_PROXY", "http_proxy"] {
        assert!(came_through(&[(name, &url)]), "{name}");
    }
    for name in ["NO_PROXY", "no_proxy"] {
        let excluded = format!("example.test, 0.0.0.0:{port}");
        for list in ["*", "0.0.0.0/8", &excluded] {
            assert!(
                !came_through(&[("HTTP_PROXY", &url), (name, list)]),
                "{list}"
            );
        }
        assert!(came_through(&[
            ("HTTP_PROXY", &url),
            (name, "0.0.0.0:1,1.0.0.0/8")
        ]));
    }
    assert!(
        !came_through(&[("HTTPS_PROXY", &url)]),
        "the server is a plain one"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_of_the_environment() {
    let folder = Folder::new();
    let server = Server::plain().await;
    let file = folder.write(
        "kubeconfig",
        document(json!({}), json!({"token": "planted"})),
    );
    let file = file.to_str().unwrap();
    let master = server.address.to_string();
    for master in [format!("http://{master}"), server.url()] {
        let variables = [("KUBECONFIG", file), ("KUBERNETES_MASTER", &*master)];
        let printed = child("config::environment::child_asks", &variables);
        assert!(printed.contains("came through"), "{printed}");
        assert_eq!(server.last_header("authorization"), None);
    }
    let printed = child(
        "config::environment::child_prints_server",
        &[("KUBECONFIG", file), ("KUBERNETES_MASTER", "")],
    );
    assert!(printed.contains("http://localhost:8080/"), "{printed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_does_not_widen_the_trust_in_the_server() {
    let folder = Folder::new();
    let (public, cluster) = (Authority::new("public"), Authority::new("cluster"));
    let roots = folder.write("roots.pem", &public.pem);
    let authority = folder.write("ca.crt", &cluster.pem);
    let names = ["127.0.0.1"];
    let (of_public, of_cluster) = (public.sign(&names), cluster.sign(&names));
    for (identity, expected) in [(&of_cluster, "came through"), (&of_public, "UnknownIssuer")] {
        let server = Server::tls(identity).await;
        let identity = public.sign(&["::1"]);
        let proxy = HttpProxy::start("[::1]:0", server.address, Some(&identity), None).await;
        let cluster = json!({
            "server": server.url(),
            "certificate-authority": authority,
            "proxy-url": format!("https://{}", proxy.address),
        });
        let file = folder.write("kubeconfig", document(cluster, json!({})));
        let variables = [
            ("KUBECONFIG", file.to_str().unwrap()),
            ("SSL_CERT_FILE", roots.to_str().unwrap()),
        ];
        let printed = child("config::environment::child_asks", &variables);
        assert!(printed.contains(expected), "{printed}");
        assert_eq!(
            proxy.asked(),
            [format!("CONNECT {} HTTP/1.1", server.address)]
        );
        let answered = usize::from(expected == "came through");
        assert_eq!(server.requests().len(), answered);
    }
}

/// The proxies for servers, `-` for none, or an error.
fn proxies(variables: &[(&str, &str)], servers: &[&str]) -> Vec<String> {
    let servers = servers.join(" ");
    let mut variables = variables.to_vec();
    variables.push(("SERVERS", &servers));
    let printed = child("config::environment::child_prints_proxies", &variables);
    assert!(!printed.contains("planted"), "{printed}");
    let proxies = printed
        .lines()
        .filter_map(|line| line.strip_prefix("proxy: "));
    proxies.map(str::to_owned).collect()
}

#[test]
fn which_proxy_it_is() {
    let (secure, plain) = ("https://a.test:6443", "http://a.test");
    let variables = [
        ("HTTPS_PROXY", "http://me:planted-secret@secure.test:3128"),
        ("HTTP_PROXY", "plain.test:3128"),
    ];
    let this_host = [
        "https://localhost:6443",
        "https://127.0.0.2",
        "https://[::1]:6443",
        "https://[::ffff:127.0.0.1]",
    ];
    let servers = [&[secure, plain, "https://localhost.test"][..], &this_host].concat();
    assert_eq!(
        proxies(&variables, &servers),
        [
            "http://secure.test:3128/",
            "http://plain.test:3128/",
            "http://secure.test:3128/",
            "-",
            "-",
            "-",
            "-"
        ]
    );
    assert_eq!(proxies(&variables[..1], &[plain]), ["-"]);
    for (variables, proxy) in [
        (&[("https_proxy", "l.test:1")][..], "http://l.test:1/"),
        (
            &[("HTTPS_PROXY", ""), ("https_proxy", "l.test:1")],
            "http://l.test:1/",
        ),
        (
            &[("https_proxy", "l.test:1"), ("HTTPS_PROXY", "u.test:1")],
            "http://u.test:1/",
        ),
    ] {
        assert_eq!(proxies(variables, &[secure]), [proxy], "{variables:?}");
    }
    // A visitor of a web server cannot give its child a proxy, and errors name the variable.
    for (variables, server, expected) in [
        (
            [("HTTP_PROXY", "a:1"), ("REQUEST_METHOD", "GET")],
            plain,
            "HTTP_PROXY",
        ),
        (
            [("https_proxy", "gopher://me:planted@x"), ("NO_PROXY", "")],
            secure,
            "https_proxy",
        ),
    ] {
        let error = proxies(&variables, &[server]).remove(0);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn servers_without_a_proxy() {
    let proxy = ("HTTPS_PROXY", "http://p.test:3128");
    // A list, the servers that it excludes, and others.
    for (list, excluded, others) in [
        ("", &[][..], &["a.test", "10.1.2.3"][..]),
        ("*", &["a.test"], &[]),
        ("x, * ", &["10.0.0.1"], &[]),
        ("*.com", &[], &["com"]),
        (
            "example.com",
            &["example.com", "a.b.example.com"],
            &["notexample.com"],
        ),
        ("EXAMPLE.com", &["api.example.COM"], &[]),
        (".example.com", &["a.example.com"], &["example.com"]),
        ("*.example.com", &["a.example.com"], &["example.com"]),
        (" a , example.com", &["example.com"], &[]),
        ("bücher.example", &["xn--bcher-kva.example"], &[]),
        (
            "example.com:6443",
            &["example.com:6443"],
            &["a.example.com"],
        ),
        (".example.com:6443", &["a.example.com:6443"], &[]),
        ("example.com:", &["example.com:6443"], &[]),
        (":443", &[], &["example.com"]),
        ("10.0.0.1", &["10.0.0.1:6443"], &[]),
        ("10.0.0.1:6443", &["10.0.0.1:6443"], &["10.0.0.1"]),
        // Like in Go, anything that is not an address matches the end of a name.
        ("0.0.1", &["10.0.0.1"], &[]),
        ("fd00::1", &["[fd00::1]"], &[]),
        ("fd00:0:0::1", &["[fd00::1]"], &[]),
        ("[fd00::1]:6443", &["[fd00::1]:6443"], &["[fd00::1]"]),
        ("::ffff:10.0.0.1", &["10.0.0.1"], &[]),
        (
            "10.0.0.0/8,.internal.test",
            &["10.255.0.1", "x.internal.test"],
            &["11.0.0.1", "ten.example"],
        ),
        ("10.1.2.3/8", &["10.9.9.9"], &[]),
        ("0.0.0.0/0", &["1.2.3.4"], &[]),
        ("192.168.1.4/30", &["192.168.1.7"], &["192.168.1.8"]),
        ("fd00::/8", &["[fd12::1]"], &["[fe80::1]", "10.0.0.1"]),
        ("fd00::1/128", &["[fd00::1]"], &["[fd00::2]"]),
        ("10.0.0.0/33", &[], &["10.0.0.1"]),
        (
            "::ffff:10.0.0.0/104",
            &["10.9.9.9"],
            &["11.0.0.1", "[fd00::1]"],
        ),
    ] {
        for name in ["NO_PROXY", "no_proxy"] {
            let servers = excluded.iter().chain(others);
            let servers: Vec<_> = servers.map(|server| format!("https://{server}")).collect();
            let servers: Vec<_> = servers.iter().map(String::as_str).collect();
            let mut expected = vec!["-"; excluded.len()];
            expected.resize(servers.len(), "http://p.test:3128/");
            assert_eq!(
                proxies(&[proxy, (name, list)], &servers),
                expected,
                "{list}: {servers:?}"
            );
        }
    }
}

#[tokio::test]
#[ignore = "run by the tests above, with another environment"]
async fn child_asks() {
    let outcome = async {
        let config = Config::try_default()?;
        ask(&Client::new(config.with_retry_policy(
            k8s_flowcontrol::client::RetryPolicy::none(),
        ))?)
        .await
    };
    match outcome.await {
        Ok(()) => println!("came through"),
        Err(error) => println!("{error}"),
    }
}

#[test]
#[ignore = "run by the tests above, with another environment"]
fn child_without_pod_and_files() {
    println!("{}", Config::builder().in_cluster().build().unwrap_err());
    println!("{}", Config::builder().user("u").build().unwrap_err());
    println!("{}", Config::builder().contexts().unwrap_err());
}

#[test]
#[ignore = "run by the tests above, with another environment"]
fn child_prints_server() {
    println!("{}", Config::try_default().unwrap().server_url());
}

#[test]
#[ignore = "run by the tests above, with another environment"]
fn child_prints_proxies() {
    // The harness has printed the beginning of a line.
    println!();
    for server in std::env::var("SERVERS").unwrap().split(' ') {
        let config = Config::new(server).unwrap();
        match (config.proxy_url(), Client::new(config.clone())) {
            (None, Err(error)) => println!("proxy: {error} {error:?}"),
            (proxy, _) => println!("proxy: {}", proxy.unwrap_or("-")),
        }
    }
}
