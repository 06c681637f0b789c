//! Exports the spans and metrics of requests with OpenTelemetry. Prints them instead of sending them to a collector.
//!
//! `cargo run --example opentelemetry` in the folder `interop`

mod recipe;
#[path = "../../../examples/support/mod.rs"]
mod support;

use opentelemetry::global;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};
use tracing::Instrument as _;
use tracing_subscriber::layer::SubscriberExt as _;

#[tokio::main]
async fn main() -> support::Outcome {
    // A program uses the exporters of `opentelemetry-otlp` here.
    let (spans, metrics) = (
        InMemorySpanExporter::default(),
        InMemoryMetricExporter::default(),
    );
    let traces = SdkTracerProvider::builder()
        .with_simple_exporter(spans.clone())
        .build();
    let reader = PeriodicReader::builder(metrics.clone()).build();
    let meters = SdkMeterProvider::builder().with_reader(reader).build();
    global::set_text_map_propagator(TraceContextPropagator::new());
    let layer = tracing_opentelemetry::layer().with_tracer(traces.tracer("example"));
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer))?;

    let (client, _server) = support::connect().await?;
    let client = recipe::with_opentelemetry(client, &meters.meter("example"));
    let work = async {
        let levels = client.priority_level_configurations().list().await?;
        println!("There are {} levels.", levels.items.len());
        client.flow_schemas().get("missing").await
    };
    let _missing = work.instrument(tracing::info_span!("reconcile")).await;

    meters.force_flush()?;
    for span in spans.get_finished_spans()? {
        let trace = span.span_context.trace_id();
        println!(
            "span {} ({:?}, {:?}) of trace {trace}",
            span.name, span.span_kind, span.status
        );
    }
    for resource in metrics.get_finished_metrics()? {
        for metric in resource.scope_metrics().flat_map(|scope| scope.metrics()) {
            if let AggregatedMetrics::F64(MetricData::Histogram(histogram)) = metric.data() {
                for point in histogram.data_points() {
                    let attributes: Vec<_> = point
                        .attributes()
                        .map(|one| one.value.to_string())
                        .collect();
                    println!(
                        "metric {} of {attributes:?}: {} requests",
                        metric.name(),
                        point.count()
                    );
                }
            }
        }
    }
    Ok(())
}
