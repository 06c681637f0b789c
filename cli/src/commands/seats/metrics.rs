//! The stored objects that a server reports in its metrics.

use crate::failure::Failure;
use crate::metrics::samples;
use k8s_flowcontrol::Client;
use k8s_flowcontrol::rules::matching::RequestAttributes;
use k8s_flowcontrol::rules::seats::Stored;

/// The stored objects of a request's resource.
pub(super) async fn stored(
    client: &Client,
    request: &RequestAttributes,
) -> Result<Stored, Failure> {
    let bytes = client.get_raw("/metrics").accept("text/plain").await?;
    Ok(read(
        &String::from_utf8_lossy(&bytes),
        &request.api_group,
        &request.resource,
    ))
}

fn read(text: &str, group: &str, resource: &str) -> Stored {
    let dot = if group.is_empty() { "" } else { "." };
    let joined = format!("{resource}{dot}{group}");
    let (mut objects, mut bytes) = (None, None);
    for sample in samples(text) {
        let is_resource =
            sample.label("group") == Some(group) && sample.label("resource") == Some(resource);
        match sample.name {
            // The older and the newer name of the same number.
            "apiserver_storage_objects" if sample.label("resource") == Some(&joined) => {
                objects = objects.or(Some(sample.value));
            }
            "apiserver_resource_objects" if is_resource => objects = Some(sample.value),
            "apiserver_resource_size_estimate_bytes" if is_resource => bytes = Some(sample.value),
            _ => {}
        }
    }
    match objects {
        // A negative number stands for an error of the last count.
        Some(..0.0) => Stored::Stale,
        Some(objects) => Stored::Known {
            objects: objects as u64,
            average_bytes: bytes.map_or(0, |bytes| (bytes.max(0.0) / objects.max(1.0)) as u64),
        },
        None => Stored::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_size_is_the_total_divided_by_the_count() {
        let text = "\
apiserver_storage_objects{resource=\"deployments.apps\"} 20
apiserver_storage_objects{resource=\"events\"} -1
apiserver_resource_objects{group=\"\",resource=\"pods\"} 40
apiserver_resource_size_estimate_bytes{group=\"\",resource=\"pods\"} 400020
";
        let known = |objects, average_bytes| Stored::Known {
            objects,
            average_bytes,
        };
        assert_eq!(read(text, "", "pods"), known(40, 10_000));
        assert_eq!(read(text, "apps", "deployments"), known(20, 0));
        assert_eq!(read(text, "", "events"), Stored::Stale);
        assert_eq!(read(text, "", "nodes"), Stored::NotFound);
    }
}
