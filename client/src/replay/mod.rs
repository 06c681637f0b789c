//! Recording the requests and responses of a server in a file, and replaying them in tests without a server.
//!
//! A [`Recorder`] writes all exchanges of a client to a file, watches included. A [`Replay`] reads such a file and makes a
//! client whose requests get the recorded responses.
//!
//! ```
//! use k8s_flowcontrol::replay::Replay;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Usually `Replay::open("tests/recordings/levels.jsonl")`, written by a `Recorder`.
//! let replay = Replay::parse(concat!(
//!     r#"{"exchange":1,"request":{"method":"GET","path":"/version","accept":"application/json"}}"#, "\n",
//!     r#"{"exchange":1,"response":{"status":200,"headers":{"content-type":["application/json"]}}}"#, "\n",
//!     r#"{"exchange":1,"chunk":"{\"gitVersion\":\"v1.36.2\",\"major\":\"1\",\"minor\":\"36\"}"}"#, "\n",
//!     r#"{"exchange":1,"end":true}"#, "\n",
//! ))?;
//! let client = replay.client()?;
//! assert_eq!(client.version().await?.git_version, "v1.36.2");
//! replay.finish()?; // an error if a recorded request was not sent, or another one was
//! # Ok(())
//! # }
//! ```
//!
//! # Recorded and removed data
//!
//! - The method, the path below the server's URL, the query, `Accept`, `Content-Type` and the body of each request.
//!   Other request headers, such as `Authorization`, `Impersonate-*` and cookies, are not recorded. The server's
//!   address and certificates are not recorded either.
//! - The status code, the body, and of the headers `Content-Type`, `Warning`, `Retry-After`, `Audit-Id` and the UIDs of the
//!   FlowSchema and priority level. Other response headers, such as `Set-Cookie`, are not recorded.
//! - In bodies, `REDACTED` replaces the token of a `TokenRequest`, `TokenReview` or `ExecCredential` and the data of a
//!   `Secret`; its annotation with the last applied configuration is removed. Bodies of these resources that are not JSON
//!   are recorded as empty, and so are JSON bodies that contain the name of such a kind or an escape `\u`, and have more than
//!   1,000,000 values or 64 MiB.
//!
//! Everything else in an object is recorded unchanged, such as annotations and the data of a `ConfigMap`.
//!
//! Each attempt at a request is one exchange. While a client is recorded, its responses are not compressed. The chunks of a
//! watch are recorded as they arrive; a watch that was open at the end of the recording stays open in the replay. Requests
//! that are repeated with renewed credentials after a 401 cannot be replayed: a replay does not have credentials.
//!
//! # The file
//!
//! One JSON object per line, in the order of events: at most 1,000,000 values in a line, and 64 MiB in total. All lines of an exchange have its number:
//!
//! | line | content |
//! |---|---|
//! | `{"exchange":1,"request":{…}}` | `method`, `path`, and if present `query`, `accept`, `contentType` and `body` |
//! | `{"exchange":1,"response":{…}}` | `status` and `headers` |
//! | `{"exchange":1,"chunk":"…"}` | a part of the response's body; `base64` instead of `chunk` for other bytes than UTF-8 |
//! | `{"exchange":1,"end":true}` | the end of the body |
//! | `{"exchange":1,"error":{…}}` | the `message` of a failed request or an incomplete body, and its properties |

mod exchange;
mod matching;
mod player;
mod recorder;
mod recording;
mod redact;
mod tape;
mod value;

pub use player::{Replay, ReplayError};
pub use recorder::Recorder;
