//! The hash of a flow.

use sha2::{Digest, Sha256};

/// The hash from which a flow's hand is dealt.
///
/// It is made of the flow schema's *name* (not its UID) and the flow distinguisher, so it is the same on
/// every server and survives a restart: the first eight bytes, in little-endian order, of the SHA-256 of
/// the name, a zero byte and the distinguisher.
///
/// ```
/// use k8s_flowcontrol::analysis::sharding::flow_hash;
///
/// assert_eq!(flow_hash("global-default", "alice"), 17644606172554983095);
/// assert_eq!(flow_hash("catch-all", ""), 7733929212674924205);
/// ```
pub fn flow_hash(flow_schema: &str, flow_distinguisher: &str) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update(flow_schema);
    hasher.update([0]);
    hasher.update(flow_distinguisher);
    let digest = hasher.finalize();
    digest
        .iter()
        .take(8)
        .rev()
        .fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}
