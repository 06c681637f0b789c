//! The recipe for OpenTelemetry of `examples/opentelemetry`.

#[path = "../../examples/opentelemetry/recipe.rs"]
mod recipe;

use k8s_flowcontrol::Client;
use k8s_flowcontrol_server::{ApiServer, Fault};
use opentelemetry::global;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::{SpanKind, Status, TracerProvider as _};
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};
use tracing::Instrument as _;
use tracing_subscriber::layer::SubscriberExt as _;

#[tokio::test]
async fn a_trace_goes_on_in_the_server_and_durations_are_metrics() {
    let spans = InMemorySpanExporter::default();
    let traces = SdkTracerProvider::builder()
        .with_simple_exporter(spans.clone())
        .build();
    let metrics = InMemoryMetricExporter::default();
    let reader = PeriodicReader::builder(metrics.clone()).build();
    let meters = SdkMeterProvider::builder().with_reader(reader).build();
    global::set_text_map_propagator(TraceContextPropagator::new());
    let layer = tracing_opentelemetry::layer().with_tracer(traces.tracer("test"));
    // With a single subscriber, a span that another test uses first would be off for this test too.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(layer));

    let server = ApiServer::builder()
        .record_requests()
        .start()
        .await
        .unwrap();
    let client = Client::from_url(server.url()).unwrap();
    let client = recipe::with_opentelemetry(client, &meters.meter("test"));
    server.inject(Fault::rejected(0));
    let work = async {
        client.flow_schemas().list().await.unwrap();
        client.flow_schemas().get("missing").await.unwrap_err();
    };
    work.instrument(tracing::info_span!("reconcile")).await;
    drop(guard);

    let finished = spans.get_finished_spans().unwrap();
    let of = |name: &str| finished.iter().find(|span| span.name == name).unwrap();
    let (work, list, get) = (
        of("reconcile"),
        of("list flowschemas"),
        of("get flowschemas"),
    );
    for span in [list, get] {
        assert_eq!(span.span_kind, SpanKind::Client);
        assert_eq!(span.parent_span_id, work.span_context.span_id());
    }
    assert_eq!(list.status, Status::Unset);
    assert!(
        matches!(get.status, Status::Error { .. }),
        "{:?}",
        get.status
    );
    let resends = list
        .attributes
        .iter()
        .find(|one| one.key.as_str() == "http.request.resend_count");
    assert_eq!(resends.unwrap().value.as_str(), "1");

    // Both attempts at the list, then the get.
    let expected = [list, list, get].map(|span| {
        let context = &span.span_context;
        Some(format!(
            "00-{}-{}-01",
            context.trace_id(),
            context.span_id()
        ))
    });
    let requests = server.requests();
    let sent = requests
        .iter()
        .map(|one| one.header("traceparent").map(str::to_owned));
    assert_eq!(sent.collect::<Vec<_>>(), expected);

    meters.force_flush().unwrap();
    let mut points = Vec::new();
    for resource in metrics.get_finished_metrics().unwrap() {
        for metric in resource.scope_metrics().flat_map(|scope| scope.metrics()) {
            assert_eq!(
                (metric.name(), metric.unit()),
                ("http.client.request.duration", "s")
            );
            let AggregatedMetrics::F64(MetricData::Histogram(histogram)) = metric.data() else {
                panic!("{metric:?} is not a histogram");
            };
            points.extend(histogram.data_points().map(|point| {
                let code = point
                    .attributes()
                    .find(|one| one.key.as_str() == "http.response.status_code");
                (code.unwrap().value.to_string(), point.count())
            }));
        }
    }
    points.sort();
    assert_eq!(
        points,
        [("200", 1), ("404", 1), ("429", 1)].map(|(code, count)| (code.to_owned(), count))
    );
}
