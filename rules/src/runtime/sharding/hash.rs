//! The hash of a flow.

use hmac_sha256::Hash;

/// The hash of a flow, which determines its hand.
///
/// It depends only on the flow schema's *name* (not its UID) and the flow distinguisher, so it is equal on every server
/// and after a restart: the first eight bytes, in little-endian order, of the SHA-256 of the name, a zero byte and the
/// distinguisher.
///
/// ```
/// use k8s_flowcontrol_rules::sharding::flow_hash;
///
/// assert_eq!(flow_hash("global-default", "alice"), 17644606172554983095);
/// assert_eq!(flow_hash("catch-all", ""), 7733929212674924205);
/// ```
pub fn flow_hash(flow_schema: &str, flow_distinguisher: &str) -> u64 {
    let message = [flow_schema.as_bytes(), &[0], flow_distinguisher.as_bytes()].concat();
    let [a, b, c, d, e, f, g, h, ..] = Hash::hash(&message);
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}
