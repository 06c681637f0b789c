//! Reading: the text with its lines, the objects of the group in it, and everything else that mentions the group.

mod keep;
mod mentions;
mod objects;
mod text;

pub(super) use keep::Kept;
pub use mentions::{Mention, Mentioned, may_mention, mentions};
pub(super) use mentions::{SHARES, other_shares_of, version_is_at};
pub(super) use objects::{Found, Role, find};
pub(super) use text::Text;
