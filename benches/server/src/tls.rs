//! The same over TLS, with HTTP/2 for clients that ask for it.

use crate::Outcome;
use crate::content::{Body, CHUNK, Content};
use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use http_body_util::{BodyExt, StreamBody, combinators::BoxBody};
use hyper::body::Frame;
use hyper::service::service_fn;
use hyper::{Request, Response, body::Incoming, header};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

/// Starts the server on a separate thread, and returns its address and the path of a kubeconfig for it.
pub(crate) fn start(content: &'static Content) -> Outcome<(String, String)> {
    let issued = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])?;
    let key = PrivatePkcs8KeyDer::from(issued.signing_key.serialize_der());
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![issued.cert.der().clone()], key.into())?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
    let path = std::env::temp_dir().join(format!("bench-server-{}.yaml", std::process::id()));
    let url = format!("https://{}", listener.local_addr()?);
    std::fs::write(&path, kubeconfig(&url))?;
    std::thread::spawn(move || runtime.block_on(accept(listener, acceptor, content)));
    Ok((url, path.display().to_string()))
}

/// Both sides read it, and neither checks the certificate: that is not a part of a watch.
fn kubeconfig(url: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: bench\n\
         clusters: [{{name: bench, cluster: {{server: '{url}', insecure-skip-tls-verify: true}}}}]\n\
         users: [{{name: bench, user: {{}}}}]\n\
         contexts: [{{name: bench, context: {{cluster: bench, user: bench}}}}]\n"
    )
}

async fn accept(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    content: &'static Content,
) -> Outcome<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let acceptor = acceptor.clone();
        tokio::task::spawn(async move {
            let stream = TokioIo::new(acceptor.accept(stream).await?);
            let service = service_fn(move |request| respond(request, content));
            let builder = Builder::new(TokioExecutor::new());
            builder.serve_connection(stream, service).await
        });
    }
}

async fn respond(
    request: Request<Incoming>,
    content: &'static Content,
) -> Result<Response<BoxBody<Bytes, Infallible>>, Infallible> {
    let accepted = request.headers().get(header::ACCEPT);
    let wants_metadata = accepted.is_some_and(|accepted| {
        String::from_utf8_lossy(accepted.as_bytes()).contains("as=PartialObjectMetadata;")
    });
    let body = match content.body(&request.uri().to_string(), wants_metadata) {
        Body::Whole(text) => http_body_util::Full::from(text).boxed(),
        Body::Lines(lines) => {
            let chunks = lines.as_bytes().chunks(CHUNK).map(Bytes::from_static);
            let frames = stream::iter(chunks.map(Frame::data)).chain(stream::pending());
            BodyExt::boxed(StreamBody::new(frames.map(Ok)))
        }
    };
    let mut response = Response::new(body);
    let json = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    Ok(response)
}
