//! Requests of all verbs.

use crate::requests::support::schema;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::meta::DeleteOptions;
use k8s_flowcontrol::{Client, Error};
use serde_json::json;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Get,
    List,
    Watch,
    Version,
    Create,
    DryCreate,
    Replace,
    GuardedReplace,
    Patch,
    DryPatch,
    Apply,
    Delete,
    GuardedDelete,
    DryDelete,
    DeleteCollection,
    CreateSubresource,
    DrySubresource,
}

impl Request {
    pub(super) const ALL: &[Self] = &[
        Self::Get,
        Self::List,
        Self::Watch,
        Self::Version,
        Self::Create,
        Self::DryCreate,
        Self::Replace,
        Self::GuardedReplace,
        Self::Patch,
        Self::DryPatch,
        Self::Apply,
        Self::Delete,
        Self::GuardedDelete,
        Self::DryDelete,
        Self::DeleteCollection,
        Self::CreateSubresource,
        Self::DrySubresource,
    ];

    /// Whether the request changes an object: it is neither a read nor a dry run.
    pub(super) fn is_write(self) -> bool {
        !matches!(
            self,
            Self::Get
                | Self::List
                | Self::Watch
                | Self::Version
                | Self::DryCreate
                | Self::DryPatch
                | Self::DryDelete
        )
    }

    /// Whether the request may be sent again although it may have been carried out.
    pub(super) fn is_repeatable(self) -> bool {
        !self.is_write() || matches!(self, Self::GuardedReplace | Self::GuardedDelete)
    }

    pub(super) async fn send(self, client: &Client) -> Result<(), Error> {
        let schemas = client.flow_schemas();
        let mine = schema("mine");
        let patch = json!({"spec": {"matchingPrecedence": 8000}});
        match self {
            Self::Get => schemas.get("mine").await.map(drop),
            Self::List => schemas.list().await.map(drop),
            Self::Watch => schemas.watch().await.map(drop),
            Self::Version => client.version().await.map(drop),
            Self::Create => schemas.create(&mine).await.map(drop),
            Self::DryCreate => schemas.create(&mine).dry_run().await.map(drop),
            Self::Replace => schemas.replace(&mine).await.map(drop),
            Self::GuardedReplace => schemas.replace(&guarded(mine)).await.map(drop),
            Self::Patch => schemas.patch("mine").merge(&patch).await.map(drop),
            Self::DryPatch => {
                let patch = schemas.patch("mine").merge(&patch);
                patch.dry_run().await.map(drop)
            }
            Self::Apply => schemas.apply(&mine).field_manager("m").await.map(drop),
            Self::Delete => schemas.delete("mine").await.map(drop),
            Self::GuardedDelete => {
                let delete = schemas.delete("mine").precondition_uid("u");
                delete.await.map(drop)
            }
            Self::DryDelete => {
                let delete = schemas.delete("mine").dry_run();
                delete.options(DeleteOptions::default()).await.map(drop)
            }
            Self::DeleteCollection => schemas.delete_collection().await.map(drop),
            Self::CreateSubresource => {
                let create = schemas.create_subresource("mine", "run", &patch);
                create.await.map(drop)
            }
            // Not every subresource supports dry runs.
            Self::DrySubresource => {
                let create = schemas.create_subresource("mine", "run", &patch);
                create.query("dryRun", "All").await.map(drop)
            }
        }
    }
}

fn guarded(mut schema: FlowSchema) -> FlowSchema {
    schema.metadata.resource_version = Some("7".into());
    schema
}
