//! The recipe: copy this file into a program that uses OpenTelemetry.

use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::KeyValue;
use opentelemetry::global;
use opentelemetry::metrics::Meter;
use opentelemetry::propagation::Injector;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The same client, which passes the current trace on to the server, and measures the duration of its requests.
///
/// The spans themselves come from the layer of `tracing-opentelemetry` in the program's subscriber: each request is a
/// span of the target `k8s_flowcontrol::request`, level `DEBUG`.
pub(crate) fn with_opentelemetry(client: Client, meter: &Meter) -> Client {
    let duration = meter
        .f64_histogram("http.client.request.duration")
        .with_unit("s")
        .build();
    client
        .before_request(|request| {
            // The hook runs within the span of the request.
            let context = Span::current().context();
            let mut headers = Headers(request.headers_mut());
            global::get_text_map_propagator(|propagator| {
                propagator.inject_context(&context, &mut headers);
            });
        })
        .on_request(move |attempt| {
            let mut attributes = vec![
                KeyValue::new("http.request.method", attempt.method().to_owned()),
                KeyValue::new("k8s.verb", attempt.verb().to_owned()),
                KeyValue::new("k8s.resource", attempt.resource().to_owned()),
            ];
            if let Some(code) = attempt.code() {
                let code = i64::from(code);
                attributes.push(KeyValue::new("http.response.status_code", code));
            }
            duration.record(attempt.duration().as_secs_f64(), &attributes);
        })
}

struct Headers<'a>(&'a mut HeaderMap);

impl Injector for Headers<'_> {
    fn set(&mut self, name: &str, value: String) {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            self.0.insert(name, value);
        }
    }
}
