//! The server's reactions to an attempt, and their meaning for the client.

use super::request::Request;

/// The reaction to an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Nothing listens.
    Refuse,
    /// Accepts the connection and resets it.
    ResetUnread,
    /// Reads the request and resets the connection.
    Reset,
    /// Reads the request and closes the connection.
    Close,
    /// Closes the connection within the head of the response.
    CutHead,
    /// Closes the connection within the body of a response with this code.
    CutBody(u16),
    /// Sends bytes that are not HTTP.
    Garbage,
    /// A complete response with an empty object as its body.
    Answer {
        code: u16,
        retry_after: Option<u32>,
        reason: &'static str,
    },
    /// A response with a body that is not JSON.
    Undecodable,
    /// HTTP/2: resets the stream as not processed.
    RefuseStream,
    /// HTTP/2: resets the stream for another reason.
    ResetStream,
    /// HTTP/2: closes the connection with GOAWAY.
    GoAway {
        /// Whether the request's stream is among the processed ones.
        covers_request: bool,
        /// Whether the connection closes because of an error.
        is_error: bool,
    },
}

/// The meaning of an act, as far as a client can know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The request was not carried out, and another attempt may succeed.
    None,
    /// The request may have been carried out.
    Open,
    /// The request was not carried out, but a client need not be able to know.
    Unknowable,
    /// Another attempt would be of no use.
    Final,
}

pub(super) const SUCCESS: Act = answer(200, None);

const fn answer(code: u16, retry_after: Option<u32>) -> Act {
    Act::Answer {
        code,
        retry_after,
        reason: "",
    }
}

pub(super) const HTTP1: &[Act] = &[
    Act::Refuse,
    Act::ResetUnread,
    Act::Reset,
    Act::Close,
    Act::CutHead,
    Act::CutBody(200),
    Act::CutBody(429),
    Act::CutBody(503),
    Act::Garbage,
    Act::Undecodable,
    answer(302, None),
    answer(404, None),
    answer(408, None),
    answer(409, None),
    answer(422, None),
    answer(429, None),
    answer(429, Some(0)),
    answer(429, Some(3600)),
    answer(500, None),
    answer(500, Some(0)),
    Act::Answer {
        code: 500,
        retry_after: None,
        reason: "ServerTimeout",
    },
    answer(502, None),
    answer(503, None),
    answer(503, Some(0)),
    answer(504, None),
];

pub(super) const HTTP2: &[Act] = &[
    Act::RefuseStream,
    Act::ResetStream,
    Act::GoAway {
        covers_request: false,
        is_error: false,
    },
    Act::GoAway {
        covers_request: false,
        is_error: true,
    },
    Act::GoAway {
        covers_request: true,
        is_error: false,
    },
    Act::GoAway {
        covers_request: true,
        is_error: true,
    },
];

impl Act {
    pub(super) fn effect(self, request: Request) -> Effect {
        match self {
            Self::Refuse | Self::RefuseStream => Effect::None,
            Self::GoAway {
                covers_request: false,
                is_error,
            } => match is_error {
                false => Effect::None,
                true => Effect::Unknowable,
            },
            Self::ResetUnread => Effect::Unknowable,
            // A watch is open when the head has arrived.
            Self::CutBody(200) if request == Request::Watch => Effect::Final,
            Self::CutBody(429) => Effect::None,
            Self::Reset | Self::Close | Self::CutHead | Self::CutBody(_) | Self::Garbage => {
                Effect::Open
            }
            Self::ResetStream | Self::GoAway { .. } => Effect::Open,
            Self::Undecodable => Effect::Final,
            Self::Answer {
                code,
                retry_after,
                reason,
            } => match (code, retry_after) {
                // Longer than the policy waits.
                (_, Some(3600)) => Effect::Final,
                (429, _) | (503, Some(_)) => Effect::None,
                (408 | 502 | 503 | 504, _) | (500, Some(_)) => Effect::Open,
                _ if reason == "ServerTimeout" => Effect::Open,
                _ => Effect::Final,
            },
        }
    }

    /// Whether a server that acts so may have carried out the request.
    pub(super) fn may_take_effect(self, request: Request) -> bool {
        match self.effect(request) {
            Effect::Open => true,
            Effect::None | Effect::Unknowable => false,
            Effect::Final => match self {
                Self::Answer { code, .. } => !(300..500).contains(&code),
                _ => true,
            },
        }
    }

    /// The tokens of a retry after this act.
    pub(super) fn cost(self) -> u32 {
        match self {
            Self::Answer {
                code: 408 | 504, ..
            } => 10,
            Self::Answer { reason, .. } if !reason.is_empty() => 10,
            _ => 5,
        }
    }
}
