//! Kubernetes quantities.

pub use k8s_flowcontrol_text::quantity::{Amount, InvalidQuantity, QuantityFormat};

use crate::json::{Fault, RawJson, ReadJson, Reader, WriteJson, Writer};
use crate::rt::v1::scalars;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// An amount with a suffix, such as `500m` or `2Gi`, which keeps its text; `0` by default.
///
/// Text that is a JSON number on the wire stays one. [`amount`](Self::amount) interprets the text. Quantities are
/// equal, and have the same hash, when their amounts are: `1024Mi` equals `1Gi`. Text that is not a quantity, which
/// some custom resources contain, is ordered after all amounts.
///
/// ```
/// use k8s_flowcontrol_types::meta::Quantity;
///
/// let (limit, request): (Quantity, Quantity) = ("1.5Gi".parse()?, "512Mi".parse()?);
/// assert!(limit > request);
/// let free = Quantity::from(limit.amount()? - request.amount()?);
/// assert_eq!(free.as_str(), "1Gi");
/// assert_eq!(limit.as_str(), "1.5Gi");
/// # Ok::<(), k8s_flowcontrol_types::meta::InvalidQuantity>(())
/// ```
#[derive(Clone, Default)]
pub struct Quantity {
    /// The JSON string or number. `None` is the amount `"0"`, so a default does not allocate.
    json: Option<RawJson>,
}

/// The JSON of the default.
const ZERO: &str = "\"0\"";

impl Quantity {
    /// The amount as JSON.
    fn json(&self) -> &str {
        self.json.as_ref().map_or(ZERO, RawJson::as_str)
    }

    /// The amount as text, without quotes.
    pub fn as_str(&self) -> &str {
        let text = self.json();
        let inside = text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        inside.unwrap_or(text)
    }

    /// The value. White space around the text does not count, as on a server.
    ///
    /// # Errors
    /// [`InvalidQuantity`] when the text is not a quantity, with the place.
    pub fn amount(&self) -> Result<Amount, InvalidQuantity> {
        self.as_str().trim().parse()
    }

    /// The value, or else the text.
    fn key(&self) -> Key<'_> {
        match self.amount() {
            Ok(amount) => Key::Amount(amount),
            Err(_) => Key::Text(self.as_str()),
        }
    }
}

/// By which quantities are compared.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key<'a> {
    Amount(Amount),
    Text(&'a str),
}

/// Keeps any text; use [`str::parse`] for text that must be a quantity.
impl From<&str> for Quantity {
    fn from(text: &str) -> Self {
        // JSON can represent every string. The fallback `null` is unreachable, and a server would reject it.
        let json = RawJson::from_value(text).unwrap_or_default();
        Self { json: Some(json) }
    }
}

/// The canonical form of the amount.
impl From<Amount> for Quantity {
    fn from(amount: Amount) -> Self {
        Self::from(amount.to_string().as_str())
    }
}

impl FromStr for Quantity {
    type Err = InvalidQuantity;

    fn from_str(text: &str) -> Result<Self, InvalidQuantity> {
        text.parse::<Amount>().map(|_| Self::from(text))
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str() || self.key() == other.key()
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Hash for Quantity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

scalars! { Quantity Quantity, }

impl ReadJson for Quantity {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        let raw = reader.raw_json()?;
        match raw.as_str().as_bytes().first() {
            Some(b'"' | b'-' | b'0'..=b'9') => {
                self.json = Some(raw);
                Ok(())
            }
            _ => Err(reader.fault(format!(
                "expected a quantity such as \"500m\" or a number, found {raw}"
            ))),
        }
    }
}

impl WriteJson for Quantity {
    fn write_json(&self, writer: &mut Writer) {
        writer.raw(self.json());
    }
}

crate::__serde_by_json!(Quantity);
