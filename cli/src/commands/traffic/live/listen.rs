//! The connections of `--listen`, and the signals that end the command, on a separate thread.

use super::LiveArgs;
use crate::cluster::block_on_to_the_end;
use crate::failure::Failure;
use crate::input::read_text;
use crate::signals::Stop;
use crate::token_file::read_tokens;
use k8s_flowcontrol_server::{Post, Receiver, ReceiverBuilder, Rejections};
use std::path::Path;
use std::sync::mpsc::{Receiver as Works, Sender, channel};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// Something to do.
pub(super) enum Work {
    /// A request to answer.
    Post(Post),
    /// A signal to end.
    Stop,
}

/// The thread with the connections and the signals.
pub(super) struct Listening {
    pub(super) works: Works<Work>,
    /// The URL of `--listen`, and the batches that got an error.
    pub(super) receiver: Option<(String, Rejections)>,
    /// Dropped to end the connections.
    end: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Listening {
    /// Listens from now on.
    /// Errors: if the address, the certificate or the tokens cannot be used.
    pub(super) fn start(args: &LiveArgs) -> Result<Self, Failure> {
        let builder = args.listen.is_some().then(|| builder(args)).transpose()?;
        let tokens = args.tokens.clone();
        let (work, works) = channel();
        let (end, ended) = oneshot::channel();
        let (started, start) = channel();
        let thread = std::thread::Builder::new()
            .name("listen".into())
            .spawn(move || {
                let tokens = tokens.as_deref();
                let failed = started.clone();
                let run = block_on_to_the_end(serve(builder, tokens, work, started, ended));
                if let Err(failure) = run {
                    // The other side is gone if the command ended meanwhile.
                    let _gone = failed.send(Err(failure)).is_err();
                }
            })
            .map_err(|error| Failure::input(format!("cannot start a thread: {error}")))?;
        let receiver = start
            .recv()
            .unwrap_or_else(|_| Err(Failure::input("the thread of `--listen` ended")))?;
        Ok(Self {
            works,
            receiver,
            end,
            thread,
        })
    }

    /// Ends the connections, after the responses to answered requests.
    pub(super) fn stop(self) {
        drop((self.end, self.works));
        // The thread does not have a result.
        let _ended = self.thread.join().is_err();
    }
}

async fn serve(
    builder: Option<ReceiverBuilder>,
    tokens: Option<&Path>,
    work: Sender<Work>,
    started: Sender<Result<Option<(String, Rejections)>, Failure>>,
    mut ended: oneshot::Receiver<()>,
) -> Result<(), Failure> {
    let mut stop = Stop::new()?;
    let mut receiver = None;
    if let Some(builder) = builder {
        let start = builder.start().await;
        receiver = Some(start.map_err(|error| {
            let failure = Failure::of_start(&error, tokens);
            match error.is_unprotected() {
                true => failure.hint(
                    "add `--tls-cert-file`, `--tls-private-key-file` and `--tokens`, or `--unprotected` if everyone may reach it",
                ),
                false => failure,
            }
        })?);
    }
    let described = receiver
        .as_ref()
        .map(|(receiver, _)| (receiver.url(), receiver.rejections()));
    let (receiver, mut posts) = receiver.unzip();
    // The other side waits for this.
    let _heard = started.send(Ok(described)).is_ok();
    loop {
        let post = async {
            match &mut posts {
                Some(posts) => posts.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            Some(post) = post => {
                if work.send(Work::Post(post)).is_err() {
                    break;
                }
            }
            () = stop.wait() => {
                if work.send(Work::Stop).is_err() {
                    break;
                }
            }
            _ = &mut ended => break,
        }
    }
    if let Some(receiver) = receiver {
        // Requests without an answer get 503, and come again.
        drop(posts);
        receiver.stop().await;
    }
    Ok(())
}

fn builder(args: &LiveArgs) -> Result<ReceiverBuilder, Failure> {
    let mut builder = Receiver::builder();
    if let Some(address) = args.listen {
        builder = builder.address(address.ip()).port(address.port());
    }
    if let (Some(certificate), Some(key)) = (&args.tls_cert_file, &args.tls_private_key_file) {
        builder = builder.certificate(read_text(certificate)?, read_text(key)?);
    }
    if let Some(tokens) = &args.tokens {
        builder = builder.tokens(read_tokens(tokens)?);
    }
    if args.unprotected {
        builder = builder.unprotected();
    }
    Ok(builder)
}
