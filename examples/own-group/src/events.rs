//! A recorder of events: the actions of a controller, for `kubectl describe` and `kubectl events`.

use crate::generated::events_v1::{Event, EventSeries};
use k8s_flowcontrol::meta::{MicroTime, ObjectReference};
use k8s_flowcontrol::{Api, Client, Error, Resource};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// Writes events. An event that repeats is counted in its series, so that a failing controller does not fill the server.
pub(crate) struct Recorder {
    client: Client,
    controller: &'static str,
    instance: String,
    /// The names of the events that were written, by object and content. A real controller forgets old ones.
    known: Mutex<HashMap<[String; 3], (String, i32)>>,
}

impl Recorder {
    pub(crate) fn new(client: &Client, controller: &'static str, instance: &str) -> Self {
        Self {
            client: client.clone(),
            controller,
            instance: instance.to_owned(),
            known: Mutex::default(),
        }
    }

    /// Records what was done to an object, and why: `reason` is one word, `note` a sentence.
    pub(crate) async fn normal<K: Resource>(
        &self,
        object: &K,
        action: &str,
        reason: &str,
        note: &str,
    ) -> Result<(), Error> {
        let metadata = object.metadata();
        let namespace = metadata.namespace.as_deref().unwrap_or("default");
        let events: Api<Event> = self.client.namespaced_api(namespace);
        let now = MicroTime::from(SystemTime::now());
        let uid = metadata.uid.clone().unwrap_or_default();
        let key = [uid, reason.to_owned(), note.to_owned()];
        if let Some((name, count)) = self.count(&key) {
            let counted = events.update_with(&name, |event| {
                event.series = Some(EventSeries {
                    count,
                    last_observed_time: Some(now.clone()),
                    ..EventSeries::default()
                });
            });
            match counted.await {
                // Servers delete events after an hour.
                Err(error) if error.is_not_found() => {}
                counted => return counted.map(drop),
            }
        }
        let mut event = Event {
            action: Some(action.to_owned()),
            event_time: Some(now),
            note: Some(note.to_owned()),
            reason: Some(reason.to_owned()),
            regarding: Some(ObjectReference {
                kind: Some(K::KIND.to_owned()),
                namespace: metadata.namespace.clone(),
                name: metadata.name.clone(),
                uid: metadata.uid.clone(),
                api_version: Some(K::API_VERSION.to_owned()),
                resource_version: metadata.resource_version.clone(),
                ..ObjectReference::default()
            }),
            reporting_controller: Some(self.controller.to_owned()),
            reporting_instance: Some(self.instance.clone()),
            r#type: Some("Normal".to_owned()),
            ..Event::default()
        };
        event.metadata.generate_name = Some(format!("{}-", object.name()));
        let created = events.create(&event).await?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(key, (created.name().to_owned(), 1));
        Ok(())
    }

    /// The name of the event, and how often it has happened with this time.
    fn count(&self, key: &[String; 3]) -> Option<(String, i32)> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, count) = known.get_mut(key)?;
        *count = count.saturating_add(1);
        Some((name.clone(), *count))
    }
}
