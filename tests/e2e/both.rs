//! One function for `Api` and `Negotiated`.

use crate::e2e::support::{Cluster, sample, unique};
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::client::Deleted;
use k8s_flowcontrol::watch::{Store, WatchEvent};
use k8s_flowcontrol::{Error, GROUP, Objects, Resource, wait};

/// Uses every verb of the trait.
async fn use_all(schemas: &impl Objects<FlowSchema>) -> Result<(), Error> {
    let name = unique("both");
    let mine = format!("metadata.name={name}");
    let served = schemas.client().api_group(GROUP).await?.versions;
    let wire = schemas.wire_version();
    assert!(served.iter().any(|version| version.version == wire));

    assert!(schemas.get_opt(&name).await?.is_none());
    let created = schemas.create(&sample(&name)).await?;
    schemas.wait_for(&name, wait::is_not_dangling()).await?;
    let mut events = schemas.watch().field_selector(&mine).await?;
    assert!(matches!(
        events.next().await,
        Some(Ok(WatchEvent::Added { .. }))
    ));
    let store = Store::start(schemas.watcher().field_selector(&mine));
    store.wait_ready().await.unwrap();
    assert_eq!(store.len(), 1);
    assert_eq!(
        schemas.list().field_selector(&mine).await?.items[0].name(),
        name
    );
    let metadata = schemas.metadata().get(&name).await?;
    assert_eq!(metadata.metadata.uid, created.metadata.uid);

    let precedence = |precedence| {
        move |schema: &mut FlowSchema| schema.spec.matching_precedence = Some(precedence)
    };
    let updated = schemas.update_with(&name, precedence(9001)).await?;
    assert_eq!(updated.spec.matching_precedence, Some(9001));
    schemas.create_or_update(&name, precedence(9002)).await?;
    let tried = schemas.try_update_with(&name, |schema| {
        precedence(9003)(schema);
        Ok::<_, Error>(())
    });
    let mut schema = tried.await?;
    schema.spec.matching_precedence = Some(9004);
    schema.metadata.resource_version = None;
    schemas.replace(&schema).await?;
    assert_eq!(
        schemas.get(&name).await?.spec.matching_precedence,
        Some(9004)
    );
    let partial = FlowSchema::partial(&name);
    schemas.apply(&partial).field_manager("e2e").await?;
    schemas.apply_status(&partial).field_manager("e2e").await?;

    let status = schemas.get_status(&name).await?;
    schemas
        .update_status_with(&name, |schema| schema.status = None)
        .dry_run()
        .await?;
    schemas
        .try_update_status_with(&name, |_| Ok::<_, Error>(()))
        .await?;
    schemas.replace_status(&status).dry_run().await?;

    let all = schemas.delete_collection().field_selector(&mine);
    all.dry_run().await?;
    assert!(matches!(schemas.delete(&name).await?, Deleted::Status(_)));
    assert!(schemas.delete_if_exists(&name).await?.is_none());
    Ok(())
}

#[tokio::test]
async fn one_function_for_fixed_and_negotiated_versions() -> Result<(), Error> {
    for cluster in Cluster::each().await {
        use_all(&cluster.client.negotiated().await?).await?;
        if cluster.serves("v1").await {
            use_all(&cluster.client.flow_schemas()).await?;
        }
    }
    Ok(())
}
