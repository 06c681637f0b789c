//! Reading: the text with its lines, the objects of the group in it, and everything else that mentions the group.

mod keep;
mod mentions;
mod objects;
mod shares;
mod text;

pub(super) use keep::{is_kept, kept_lines};
pub(super) use mentions::version_is_at;
pub use mentions::{Mention, Mentioned, may_mention, mentions};
pub(super) use objects::{Found, Role, find};
pub(super) use shares::{SHARES, other_shares_of, shares_of};
pub(super) use text::Text;
