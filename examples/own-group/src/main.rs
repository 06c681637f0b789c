//! Takes the lease of a post for a guard: `own-group NAMESPACE NAME`.

/// The types that the build script generates.
mod generated {
    k8s_flowcontrol_types::include_generated!();
}

use generated::coordination_v1::Lease;
use generated::watch_v1::{Guard, Post};
use k8s_flowcontrol::meta::{Condition, LocalObjectReference, Time};
use k8s_flowcontrol::{Client, Error, Resource};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let namespace = arguments.next().unwrap_or_else(|| "default".to_owned());
    let name = arguments.next().unwrap_or_else(|| "ada".to_owned());
    let client = Client::try_default().await?;
    println!("{}", take_post(&client, &namespace, &name).await?);
    Ok(())
}

/// Applies a lease and the guard that holds it, and returns a sentence about both.
async fn take_post(client: &Client, namespace: &str, name: &str) -> Result<String, Error> {
    let mut lease = Lease::partial("gate");
    let spec = lease.spec.get_or_insert_default();
    spec.holder_identity = Some(name.to_owned());
    spec.lease_duration_seconds = Some(15);
    let leases = client.namespaced_api::<Lease>(namespace);
    let lease = leases.apply(&lease).field_manager(name).await?;

    let mut guard = Guard::partial(name);
    guard.spec.post = Post::Gate;
    guard.spec.lease_ref = Some(LocalObjectReference {
        name: lease.metadata.name.clone(),
        ..LocalObjectReference::default()
    });
    let guards = client.namespaced_api::<Guard>(namespace);
    let mut guard = guards.apply(&guard).field_manager(name).await?;
    guard.status.get_or_insert_default().conditions = vec![Condition {
        r#type: "OnDuty".to_owned(),
        status: "True".to_owned(),
        reason: "LeaseTaken".to_owned(),
        last_transition_time: Some(Time::from("2026-11-22T12:00:00Z")),
        ..Condition::default()
    }];
    let guard = guards.replace_status(&guard).await?;

    let on_duty = guard.status.iter().flat_map(|status| &status.conditions);
    let on_duty = on_duty.filter(|condition| condition.status == "True");
    Ok(format!(
        "{} stands at the {} for {} seconds, with {} condition",
        guard.name(),
        guard.spec.post.as_str(),
        lease
            .spec
            .and_then(|spec| spec.lease_duration_seconds)
            .unwrap_or_default(),
        on_duty.count(),
    ))
}

#[cfg(test)]
mod tests {
    use super::generated::{coordination_v1, watch_v1};
    use super::{Lease, take_post};
    use k8s_flowcontrol::Client;
    use k8s_flowcontrol_server::ApiServer;

    #[tokio::test]
    async fn a_guard_takes_its_post() -> Result<(), Box<dyn std::error::Error>> {
        let server = ApiServer::builder()
            .serve(coordination_v1::RESOURCES)
            .serve(watch_v1::RESOURCES)
            .start()
            .await?;
        let client = Client::from_url(server.url())?;
        let sentence = take_post(&client, "default", "ada").await?;
        assert_eq!(
            sentence,
            "ada stands at the Gate for 15 seconds, with 1 condition"
        );
        Ok(())
    }

    #[test]
    fn fields_that_were_not_asked_for_survive() -> Result<(), Box<dyn std::error::Error>> {
        let text = r#"{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{},"spec":{"holderIdentity":"ada","leaseTransitions":3}}"#;
        let lease: Lease = k8s_flowcontrol::json::from_str(text)?;
        let spec = lease.spec.as_ref().ok_or("no spec")?;
        assert_eq!(spec.holder_identity.as_deref(), Some("ada"));
        assert_eq!(
            spec.unknown.get("leaseTransitions").map(|raw| raw.as_str()),
            Some("3")
        );
        assert_eq!(k8s_flowcontrol::json::to_string(&lease), text);
        Ok(())
    }
}
