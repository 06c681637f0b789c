//! Objects of kinds that are known at run time only.

use super::api::Api;
use crate::request::resource_kind::ResourceKind;
use crate::send::client::Client;
use crate::{ApiVersion, DynamicObject, Kind};

impl Client {
    /// The objects of a flow control kind and API version that are chosen at run time: as JSON trees
    /// ([`DynamicObject::tree`]), or typed ([`DynamicObject::typed`]).
    ///
    /// Everything that works with an [`Api`] works with it: all verbs, [watchers](Api::watcher) and
    /// [stores](crate::watch::Store).
    ///
    /// ```no_run
    /// use k8s_flowcontrol::{ApiVersion, DynamicObject, Kind};
    /// use serde_json::json;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// for kind in Kind::ALL.iter().copied() {
    ///     let objects = client.objects(kind, ApiVersion::V1Beta3);
    ///     for object in objects.list().await? {
    ///         println!("{}", object.tree());
    ///     }
    /// }
    ///
    /// let schemas = client.objects(Kind::FlowSchema, ApiVersion::V1);
    /// schemas.patch("mine").merge(&json!({"spec": {"matchingPrecedence": 900}})).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn objects(&self, kind: Kind, version: ApiVersion) -> Api<DynamicObject> {
        self.dynamic(ResourceKind::flow_control(kind, version), None)
    }

    /// The objects of a kind of any group, in one namespace, or in all.
    ///
    /// [`ResourceKind::discovered`] finds a kind on a server; [`ResourceKind::new`] makes one.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::Resource;
    /// use k8s_flowcontrol::client::ResourceKind;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let resources = client.api_resources("apps", "v1").await?;
    /// let kind = ResourceKind::discovered(&resources, "Deployment").ok_or("the server has no deployments")?;
    /// for deployment in client.dynamic(kind, Some("default")).list().await? {
    ///     println!("{} wants {}", deployment.name(), deployment.tree()["spec"]["replicas"]);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn dynamic(&self, kind: ResourceKind, namespace: Option<&str>) -> Api<DynamicObject> {
        Api::of_kind(self.clone(), kind, namespace.map(str::to_owned))
    }
}
