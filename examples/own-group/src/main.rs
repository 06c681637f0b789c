//! Takes the lease of a post for a guard: `own-group NAMESPACE NAME`. `own-group duty NAMESPACE IDENTITY` is a controller of which one
//! copy works.

mod duty;
mod events;

/// The types that the build script generates.
mod generated {
    k8s_flowcontrol_types::include_generated!();
}

use generated::coordination_v1::Lease;
use generated::watch_v1::{Guard, Post};
use k8s_flowcontrol::meta::{Condition, LocalObjectReference, Time};
use k8s_flowcontrol::{Client, Error, Resource};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if_eq("duty").is_some() {
        return on_duty(arguments).await;
    }
    let namespace = arguments.next().unwrap_or_else(|| "default".to_owned());
    let name = arguments.next().unwrap_or_else(|| "ada".to_owned());
    let client = Client::try_default().await?;
    println!("{}", take_post(&client, &namespace, &name).await?);
    Ok(())
}

async fn on_duty(
    mut arguments: impl Iterator<Item = String>,
) -> Result<(), Box<dyn std::error::Error>> {
    let namespace = arguments.next().unwrap_or_else(|| "default".to_owned());
    let process = || format!("process-{}", std::process::id());
    let identity = arguments.next().unwrap_or_else(process);
    let client = Client::try_default().await?;
    let stop = async { drop(tokio::signal::ctrl_c().await) };
    Ok(duty::run(&client, &namespace, &identity, stop).await?)
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
    use super::generated::{coordination_v1, events_v1, watch_v1};
    use super::{Lease, take_post};
    use k8s_flowcontrol::controller::lease;
    use k8s_flowcontrol::watch::WatcherEvent;
    use k8s_flowcontrol::{Client, Resource};
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

    #[tokio::test]
    async fn one_copy_puts_guards_on_duty_and_records_it() -> Result<(), Box<dyn std::error::Error>>
    {
        // The Leases of the client have all fields.
        let server = ApiServer::builder()
            .serve(lease::coordination_v1::RESOURCES)
            .serve(events_v1::RESOURCES)
            .serve(watch_v1::RESOURCES)
            .start()
            .await?;
        let client = Client::from_url(server.url())?;
        let start = |identity: &'static str| {
            let client = client.clone();
            tokio::spawn(async move {
                super::duty::run(&client, "default", identity, std::future::pending()).await
            })
        };
        let copies = [start("one"), start("two")];
        let guards = client.namespaced_api::<watch_v1::Guard>("default");
        for name in ["ada", "ben"] {
            let mut guard = watch_v1::Guard::partial(name);
            guard.spec.post = watch_v1::Post::Gate;
            guards.apply(&guard).field_manager("test").await?;
        }
        // Each guard is posted once, by the leader.
        let events = client.namespaced_api::<events_v1::Event>("default");
        let mut seen = Vec::new();
        let mut changes = events.watcher();
        while seen.len() < 2 {
            let Some(change) = changes.next().await else {
                return Err("the watcher ended".into());
            };
            if let WatcherEvent::ListItem { object, .. } | WatcherEvent::Applied { object, .. } =
                change?
            {
                seen.push(object);
            }
        }
        let mut notes: Vec<_> = seen.iter().filter_map(|event| event.note.clone()).collect();
        notes.sort();
        assert_eq!(
            notes,
            ["ada stands at the Gate.", "ben stands at the Gate."]
        );
        assert_eq!(seen[0].reporting_instance, seen[1].reporting_instance);
        copies.iter().for_each(tokio::task::JoinHandle::abort);
        Ok(())
    }

    #[tokio::test]
    async fn repeated_events_are_counted() -> Result<(), Box<dyn std::error::Error>> {
        let server = ApiServer::builder()
            .serve(events_v1::RESOURCES)
            .start()
            .await?;
        let client = Client::from_url(server.url())?;
        let recorder = super::events::Recorder::new(&client, "example.com/guards", "one");
        let guard = watch_v1::Guard::partial("ada");
        for note in ["Late.", "Late.", "Asleep.", "Late."] {
            recorder.normal(&guard, "Looking", "Trouble", note).await?;
        }
        let events = client.namespaced_api::<events_v1::Event>("default");
        let mut counts = Vec::new();
        for event in events.list().await? {
            counts.push((event.note.clone(), event.series.map(|series| series.count)));
        }
        counts.sort();
        let note = |note: &str| Some(note.to_owned());
        assert_eq!(counts, [(note("Asleep."), None), (note("Late."), Some(3))]);
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
