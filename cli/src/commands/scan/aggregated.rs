//! Reading the API servers behind APIServices, and the roles of extension API servers.

use k8s_flowcontrol::{Client, Error};
use k8s_flowcontrol_analysis::scan::{
    AggregatedServer, UnboundServer, extension_servers, unbound_servers,
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// Reads the aggregated API servers of a cluster. A Service or Deployment that cannot be read is missing in the result.
/// Errors: if the APIServices cannot be read.
pub(super) async fn read(client: &Client) -> Result<Vec<AggregatedServer>, Error> {
    let list = match get(client, "/apis/apiregistration.k8s.io/v1/apiservices").await {
        Ok(list) => list,
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut servers = AggregatedServer::all(&list);
    for server in &mut servers {
        let (namespace, name) = server.service_name();
        let encoded = |text| utf8_percent_encode(text, ENCODED).to_string();
        let folder = format!("namespaces/{}", encoded(namespace));
        let service = format!("/api/v1/{folder}/services/{}", encoded(name));
        let list = format!("/apis/apps/v1/{folder}/deployments");
        if let (Ok(service), Ok(list)) = (get(client, &service).await, get(client, &list).await) {
            server.find_deployments(&service, &list);
        }
    }
    Ok(servers)
}

/// Reads the extension API servers that may not watch the objects of flow control.
/// Errors: if the bindings or roles cannot be read. A cluster without RBAC has none.
pub(super) async fn read_unbound(client: &Client) -> Result<Vec<UnboundServer>, Error> {
    let bindings = match get(
        client,
        &format!("{RBAC}/namespaces/kube-system/rolebindings"),
    )
    .await
    {
        Ok(bindings) => bindings,
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let servers = extension_servers(&bindings);
    if servers.is_empty() {
        return Ok(Vec::new());
    }
    let bindings = get(client, &format!("{RBAC}/clusterrolebindings")).await?;
    let roles = get(client, &format!("{RBAC}/clusterroles")).await?;
    Ok(unbound_servers(&servers, &bindings, &roles))
}

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
/// The characters that are encoded in a path.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.');

/// Reads a JSON document.
async fn get(client: &Client, path: &str) -> Result<Value, Error> {
    let body = client.get_raw(path).accept("application/json").await?;
    // A response that is not JSON does not have fields.
    Ok(serde_json::from_slice(&body).unwrap_or_default())
}
