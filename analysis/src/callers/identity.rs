//! The name of a client, from the user, the impersonator, the user agent and the address.

use crate::audit::Event;
use crate::redact::Redactor;
use k8s_flowcontrol_rules::matching::{ANONYMOUS, NODE_PREFIX, SERVICE_ACCOUNT_PREFIX};
use std::net::IpAddr;

/// The client behind a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// The name by which the client is known in reports.
    ///
    /// 1. A service account is `NAMESPACE/NAME`, followed by the program if it has another name.
    /// 2. Kubelets are one caller, `kubelet`; other programs with the credentials of a node are `PROGRAM on nodes`.
    /// 3. A component of Kubernetes is its name, followed by the controller that its user agent names.
    /// 4. Any other user is the user name, followed by the program: clusters share certificates among programs.
    /// 5. A request without a user is `anonymous`, followed by the program or the address range.
    /// 6. An impersonated user is followed by `via` and the caller that impersonates it.
    pub caller: String,
    /// The program of the user agent, such as `kubectl`; empty if the user agent is that of a library, or absent.
    pub program: String,
    /// The node, if the user is a node.
    pub node: Option<String>,
    /// The address range of the client; empty if the log does not have an address.
    pub source: String,
}

/// Names of libraries, and names that do not identify a program.
const LIBRARIES: [&str; 16] = [
    "Apache-HttpClient",
    "Go-http-client",
    "Java",
    "Kubernetes Java Client",
    "Mozilla",
    "OpenAPI-Generator",
    "Python-urllib",
    "axios",
    "fabric8-kubernetes-client",
    "go-client",
    "kubernetes-client",
    "main",
    "manager",
    "node-fetch",
    "okhttp",
    "python-requests",
];

impl Identity {
    /// The client of a request, with names replaced as `redactor` does.
    pub fn of(event: &Event<'_>, redactor: &Redactor) -> Self {
        let agent = event.user_agent.as_ref();
        let program = program(agent);
        let source = event
            .source_ips
            .first()
            .map(|address| address_range(address));
        let source = redactor.address(&source.unwrap_or_default());
        let shown = redactor.program(program);
        let own = name(&event.user.name, agent, &shown, &source, redactor);
        let caller = match &event.impersonated_user {
            Some(user) => {
                let user = name(&user.name, "", "", "", redactor);
                format!("{user} via {own}")
            }
            None => own,
        };
        let node = event.effective_user().name.strip_prefix(NODE_PREFIX);
        Self {
            caller,
            program: shown,
            node: node.map(|node| redactor.object("nodes", node)),
            source,
        }
    }
}

/// The name of a user with a program.
fn name(user: &str, agent: &str, program: &str, source: &str, redactor: &Redactor) -> String {
    let with = |name: String| match program.is_empty() {
        true => name,
        false => format!("{name} ({program})"),
    };
    if let Some(account) = user.strip_prefix(SERVICE_ACCOUNT_PREFIX) {
        let redacted = redactor.user(user);
        let shown = redacted
            .strip_prefix(SERVICE_ACCOUNT_PREFIX)
            .unwrap_or(account);
        let shown = shown.replacen(':', "/", 1);
        let account = account.split_once(':').map_or(account, |(_, name)| name);
        // A program whose name is that of its account, or a part of it, tells nothing more.
        let is_known = account.contains(self::program(agent)) || program.is_empty();
        return match is_known {
            true => shown,
            false => with(shown),
        };
    }
    if user.starts_with(NODE_PREFIX) {
        return match program {
            "" | "kubelet" => "kubelet".to_owned(),
            program => format!("{program} on nodes"),
        };
    }
    if user.is_empty() || user == ANONYMOUS {
        return match (program, source) {
            ("", "") => "anonymous".to_owned(),
            ("", source) => format!("anonymous from {source}"),
            (program, _) => format!("anonymous ({program})"),
        };
    }
    let shown = redactor.user(user);
    let component = shown.strip_prefix("system:").unwrap_or(&shown);
    match controller(agent) {
        Some(controller) => format!("{component} ({})", redactor.program(controller)),
        None if component == program => component.to_owned(),
        None => with(component.to_owned()),
    }
}

/// The program of a user agent: the product before the version. Empty for a library.
fn program(agent: &str) -> &str {
    let product = agent.split(['/', ' ']).next().unwrap_or_default();
    let product = product.trim_end_matches(".exe");
    match LIBRARIES
        .iter()
        .any(|library| product.eq_ignore_ascii_case(library))
    {
        true => "",
        false => product,
    }
}

/// The controller in the user agent of kube-controller-manager and its like, such as
/// `kube-controller-manager/v1.33.0 (linux/amd64) kubernetes/0123456/system:serviceaccount:kube-system:job-controller`.
fn controller(agent: &str) -> Option<&str> {
    let (_, last) = agent.rsplit_once('/')?;
    let account = last.strip_prefix(SERVICE_ACCOUNT_PREFIX)?;
    account.split_once(':').map(|(_, name)| name)
}

/// The range of an address: the network of 24 bits of IPv4, and of 64 bits of IPv6. Anything else is returned unchanged.
fn address_range(address: &str) -> String {
    match address.trim().parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        Ok(IpAddr::V6(address)) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
        Err(_) => address.to_owned(),
    }
}
