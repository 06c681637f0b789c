//! A controller of which one copy works: it puts every guard on duty, and records that as an event.

use crate::events::Recorder;
use crate::generated::watch_v1::{Guard, GuardStatus};
use k8s_flowcontrol::controller::{Action, Controller, ControllerError, Election};
use k8s_flowcontrol::meta::{Condition, MicroTime, Time};
use k8s_flowcontrol::watch::{ObjectKey, Store};
use k8s_flowcontrol::{Client, Error, Resource};
use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;

/// Works until `stop` is ready, while this copy of the program leads.
pub(crate) async fn run(
    client: &Client,
    namespace: &str,
    identity: &str,
    stop: impl Future<Output = ()>,
) -> Result<(), ControllerError> {
    let guards = client.namespaced_api::<Guard>(namespace);
    let store = Store::start(guards.watcher());
    let recorder = Arc::new(Recorder::new(client, "example.com/guards", identity));
    let controller = Controller::for_objects(&store)
        .election(Election::new(client, namespace, "guards", identity));
    let reconcile = move |key: ObjectKey| {
        let (guards, guard, recorder) = (guards.clone(), store.get_key(&key), recorder.clone());
        async move {
            let Some(guard) = guard.filter(|guard| !is_on_duty(guard)) else {
                return Ok(Action::AwaitChange);
            };
            let update = guards.update_status_with(guard.name(), |guard| {
                guard.status.get_or_insert_default().conditions = vec![on_duty()];
            });
            let guard = update.await?;
            let note = format!(
                "{} stands at the {}.",
                guard.name(),
                guard.spec.post.as_str()
            );
            recorder.normal(&guard, "Posting", "OnDuty", &note).await?;
            Ok(Action::AwaitChange)
        }
    };
    let on_error = |key: &ObjectKey, error: &Error| {
        eprintln!("{key}: {error}");
        error.retry_after()
    };
    controller.run(stop, reconcile, on_error).await
}

fn is_on_duty(guard: &Guard) -> bool {
    let conditions = |status: &GuardStatus| status.conditions.clone();
    let mut conditions = guard.status.iter().flat_map(conditions);
    conditions.any(|one| one.r#type == "OnDuty" && one.status == "True")
}

fn on_duty() -> Condition {
    let now = MicroTime::from(SystemTime::now());
    Condition {
        r#type: "OnDuty".to_owned(),
        status: "True".to_owned(),
        reason: "Posted".to_owned(),
        last_transition_time: now.system_time().ok().map(Time::from),
        ..Condition::default()
    }
}
