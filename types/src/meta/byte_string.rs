//! Bytes that are base64 on the wire.

use crate::json::{Fault, ReadJson, Reader, WriteJson, Writer};
use crate::rt::v1::scalars;
use base64::DecodeError;
use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use base64::engine::{DecodePaddingMode, Engine as _};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Bytes that are base64 text on the wire, such as the data of a `Secret`.
///
/// Base64 with line breaks, without padding or with unused bits that are not zero is accepted, and is written
/// unchanged. Two values are equal when their bytes are. `Debug` prints the number of bytes only.
///
/// ```
/// use k8s_flowcontrol_types::meta::ByteString;
///
/// let password: ByteString = serde_json::from_str(r#""c2Vz\nYW1l""#)?;
/// assert_eq!(password.as_bytes(), b"sesame");
/// assert_eq!(password, ByteString::from(b"sesame"));
/// assert_eq!(password.to_base64(), "c2Vz\nYW1l");
/// assert_eq!(format!("{password:?}"), "ByteString(6 bytes)");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct ByteString {
    bytes: Box<[u8]>,
    /// The text, where encoding the bytes would give another one.
    text: Option<Box<str>>,
}

/// Decodes what Go decodes, and text without padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &ALPHABET,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

impl ByteString {
    /// Decodes base64 text.
    ///
    /// # Errors
    /// [`InvalidBase64`] when a character is not of the standard alphabet, or the text ends too early.
    pub fn from_base64(text: &str) -> Result<Self, InvalidBase64> {
        // The strict decoder accepts exactly the texts that the encoder writes.
        if let Ok(bytes) = STANDARD.decode(text) {
            return Ok(bytes.into());
        }
        let joined = text.replace(['\r', '\n'], "");
        match LENIENT.decode(&joined) {
            Ok(bytes) => Ok(Self {
                bytes: bytes.into(),
                text: Some(text.into()),
            }),
            Err(error) => Err(InvalidBase64::new(text, &error)),
        }
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The base64 text: the text that was read, or else the padded text in one line.
    pub fn to_base64(&self) -> Cow<'_, str> {
        match &self.text {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(STANDARD.encode(&self.bytes)),
        }
    }
}

impl From<Vec<u8>> for ByteString {
    fn from(bytes: Vec<u8>) -> Self {
        Self {
            bytes: bytes.into(),
            text: None,
        }
    }
}

impl From<&[u8]> for ByteString {
    fn from(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

impl<const N: usize> From<&[u8; N]> for ByteString {
    fn from(bytes: &[u8; N]) -> Self {
        bytes.to_vec().into()
    }
}

impl From<ByteString> for Vec<u8> {
    fn from(string: ByteString) -> Self {
        string.bytes.into()
    }
}

impl AsRef<[u8]> for ByteString {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl PartialEq for ByteString {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for ByteString {}

impl Hash for ByteString {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes.hash(state);
    }
}

/// The number of bytes: their values may be secrets.
impl fmt::Debug for ByteString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.bytes.len();
        let unit = if length == 1 { "byte" } else { "bytes" };
        write!(f, "ByteString({length} {unit})")
    }
}

scalars! { ByteString Bytes, }

impl ReadJson for ByteString {
    fn read_json(&mut self, reader: &mut Reader<'_>) -> Result<(), Fault> {
        let text = reader.string(&"a string (base64)")?;
        *self = Self::from_base64(&text).map_err(|error| reader.fault(error.to_string()))?;
        Ok(())
    }
}

impl WriteJson for ByteString {
    fn write_json(&self, writer: &mut Writer) {
        writer.string(&self.to_base64());
    }
}

impl Serialize for ByteString {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_base64())
    }
}

impl<'de> Deserialize<'de> for ByteString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_base64(&text).map_err(D::Error::custom)
    }
}

/// Text that is not base64. The message does not contain the text, which may be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidBase64 {
    offset: usize,
}

impl InvalidBase64 {
    fn new(text: &str, error: &DecodeError) -> Self {
        let mut kept = text
            .bytes()
            .enumerate()
            .filter(|(_, byte)| !matches!(byte, b'\r' | b'\n'));
        let offset = match *error {
            DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol { offset: at, .. } => {
                kept.nth(at).map(|(offset, _)| offset)
            }
            DecodeError::InvalidLength(_) | DecodeError::InvalidPadding => None,
        };
        Self {
            offset: offset.unwrap_or(text.len()),
        }
    }

    /// The offset of the first wrong byte; the length of a text that ends too early.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for InvalidBase64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "illegal base64 data at input byte {}", self.offset)
    }
}

impl std::error::Error for InvalidBase64 {}
