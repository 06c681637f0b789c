//! The API version of objects on the wire: their own version, or another version with conversion.

use super::call::NegotiatedCall;
use super::negotiation::{Agreed, Negotiation};
use crate::convert::{Convert, Loss, Lossy};
use crate::error::Error;
use crate::json;
use crate::json::{Fault, Reader};
use crate::request::resource_kind::ResourceKind;
use crate::response::decode::{Decoded, Decoder, not_failed};
use crate::response::renamed::RenamedField;
use crate::{ApiVersion, List, Release, Resource};
use serde_json::Error as JsonError;
use std::sync::Arc;

/// Reads a body.
type Decode<T> = fn(&[u8]) -> Result<Decoded<T>, JsonError>;

/// Reads the body of a list; the flag is [`Reading::keeps_invalid`].
type DecodeList<K> = fn(&[u8], bool) -> Result<Decoded<List<K>>, JsonError>;

/// Writes and reads objects of type `K` in one API version.
pub(crate) struct Codec<K: Resource> {
    /// The kind of the objects.
    pub(crate) resource: ResourceKind,
    /// The API version on the wire.
    pub(crate) version: &'static str,
    /// The server's release, by which `encode` reports losses; [`Api`](crate::client::Api) reports none.
    pub(crate) release: Release,
    pub(crate) encode: fn(&K, Release) -> Result<Encoded, JsonError>,
    decode: Decode<K>,
    decode_list: DecodeList<K>,
    pub(crate) reading: Reading,
    /// Reads an object that is part of a larger text, such as an event of a watch, into a default one.
    read: fn(&mut Decoded<K>, &mut Reader<'_>) -> Result<(), Fault>,
    /// The field whose name differs on the wire.
    pub(crate) renamed: Option<RenamedField>,
}

// A derived implementation would require `K: Copy`.
impl<K: Resource> Copy for Codec<K> {}
impl<K: Resource> Clone for Codec<K> {
    fn clone(&self) -> Self {
        *self
    }
}

/// How the objects of lists and watches are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    /// Whether objects that do not fit their type are kept apart, instead of failing a list or a watch.
    pub(crate) keeps_invalid: bool,
    /// Whether the client asks the server to omit `metadata.managedFields`, and drops them if the server sends them.
    pub(crate) drops_managed_fields: bool,
}

/// A body, and the losses of its conversion.
pub(crate) struct Encoded {
    pub(crate) body: Vec<u8>,
    pub(crate) losses: Vec<Loss>,
}

impl<K: Resource> Codec<K> {
    /// The type's own version.
    pub(crate) fn own(resource: ResourceKind) -> Self {
        Self {
            resource,
            version: resource.version(),
            release: Release::NEWEST,
            encode: |object, _| {
                let body = json::to_string(object).into_bytes();
                Ok(Encoded {
                    body,
                    losses: Vec::new(),
                })
            },
            decode: |body| json::from_slice::<K>(body).map(Decoded::from),
            decode_list: |body, keep_invalid| read_list::<K>(body, keep_invalid).map(Decoded::from),
            reading: Reading::default(),
            read: |object, reader| object.value.read_json(reader),
            renamed: None,
        }
    }

    /// The version of `W`, with conversion from and to `K`.
    pub(crate) fn of<W>() -> Self
    where
        W: Resource + Convert<K>,
        K: Convert<W>,
    {
        Self {
            resource: ResourceKind::of::<K>(),
            version: W::VERSION,
            release: Release::NEWEST,
            encode: |object, release| {
                let converted = object.clone().convert_for_server(release);
                let (object, losses): (W, _) = Lossy::parts(converted);
                let body = json::to_string(&object).into_bytes();
                Ok(Encoded { body, losses })
            },
            decode: |body| {
                let (value, losses) = shape(json::from_slice::<W>(body)?);
                Ok(Decoded { value, losses })
            },
            decode_list: |body, keep_invalid| {
                let (value, losses) = shape(read_list::<W>(body, keep_invalid)?);
                Ok(Decoded { value, losses })
            },
            reading: Reading::default(),
            read: |object, reader| {
                let mut received = W::default();
                received.read_json(reader)?;
                let (value, losses) = shape(received);
                *object = Decoded { value, losses };
                Ok(())
            },
            renamed: <W as Convert<K>>::RENAMED.map(|(wire, own)| RenamedField { wire, own }),
        }
    }

    /// Reads an object.
    pub(crate) fn object(self) -> Decoder<K> {
        let expected = format!("{} ({})", self.resource.kind(), self.version);
        self.decoder(expected, move |body| self.decode(body))
    }

    /// Reads a list.
    pub(crate) fn list(self) -> Decoder<List<K>> {
        let expected = format!("{} ({})", self.resource.list_kind(), self.version);
        self.decoder(expected, move |body| self.decode_list(body))
    }

    pub(crate) fn decode_list(&self, body: &[u8]) -> Result<Decoded<List<K>>, JsonError> {
        let mut list = (self.decode_list)(body, self.reading.keeps_invalid)?;
        // A type of any kind also reads a `Status`.
        if K::VERSION.is_empty() && list.value.items.is_empty() {
            not_failed(body)?;
        }
        for item in &mut list.value.items {
            self.complete(item);
        }
        Ok(list)
    }

    pub(crate) fn decode(&self, body: &[u8]) -> Result<Decoded<K>, JsonError> {
        let mut object = (self.decode)(body)?;
        // As above. It does not have a name.
        if K::VERSION.is_empty() && object.value.metadata().name.is_none() {
            not_failed(body)?;
        }
        self.complete(&mut object.value);
        Ok(object)
    }

    /// Reads an object that is part of a larger text, such as an event of a watch, into a default one.
    pub(crate) fn read(
        &self,
        object: &mut Decoded<K>,
        reader: &mut Reader<'_>,
    ) -> Result<(), Fault> {
        (self.read)(object, reader)?;
        self.complete(&mut object.value);
        Ok(())
    }

    /// Servers send the items of lists without `apiVersion` and kind.
    fn complete(&self, object: &mut K) {
        if self.reading.drops_managed_fields {
            object.metadata_mut().managed_fields.clear();
        }
        object.set_type_meta(self.resource.api_version(), self.resource.kind());
    }

    pub(crate) fn decoder<T>(
        self,
        expected: String,
        decode: impl FnOnce(&[u8]) -> Result<Decoded<T>, JsonError> + Send + 'static,
    ) -> Decoder<T> {
        let mut decoder = Decoder::new(expected, decode);
        decoder.renamed = self.renamed;
        decoder
    }

    /// Translates the field paths of an error's causes to the paths in `K`.
    pub(crate) fn map_error(&self, error: Error) -> Error {
        match self.renamed {
            Some(renamed) => renamed.translate(error),
            None => error,
        }
    }
}

/// The codecs of an [`Api`](crate::client::Api): that of one version, or one for each version that a negotiation may choose.
#[derive(Clone)]
pub(crate) struct Codecs<K: Resource> {
    /// The kind, which is that of the type unless it is known at run time only.
    resource: ResourceKind,
    reading: Reading,
    /// `None` for the version of the kind.
    choice: Option<Choice<K>>,
}

/// A version that is negotiated.
#[derive(Clone)]
struct Choice<K: Resource> {
    negotiation: Arc<Negotiation>,
    codec: fn(ApiVersion) -> Codec<K>,
    /// The only version of the requests. They fail when the server no longer serves it.
    pinned: Option<Agreed>,
}

impl<K: Resource> Codecs<K> {
    /// The codec of one version.
    pub(crate) fn own(resource: ResourceKind) -> Self {
        Self {
            resource,
            reading: Reading::default(),
            choice: None,
        }
    }

    /// A codec for each version of a negotiation.
    pub(crate) fn negotiated(negotiation: Negotiation, codec: fn(ApiVersion) -> Codec<K>) -> Self {
        let choice = Choice {
            negotiation: Arc::new(negotiation),
            codec,
            pinned: None,
        };
        Self {
            choice: Some(choice),
            ..Self::own(ResourceKind::of::<K>())
        }
    }

    /// The codec of a version.
    pub(crate) fn of(&self, agreed: Option<Agreed>) -> Codec<K> {
        let codec = match (&self.choice, agreed) {
            (Some(choice), Some(Agreed { version, release })) => Codec {
                release,
                ..(choice.codec)(version)
            },
            _ => Codec::own(self.resource),
        };
        Codec {
            reading: self.reading,
            ..codec
        }
    }

    /// How objects are read.
    pub(crate) fn reading(&self) -> Reading {
        self.reading
    }

    /// The same codecs, with or without [`Reading::keeps_invalid`].
    pub(crate) fn keeping_invalid(mut self, keeps: bool) -> Self {
        self.reading.keeps_invalid = keeps;
        self
    }

    /// The same codecs with [`Reading::drops_managed_fields`].
    pub(crate) fn dropping_managed_fields(mut self) -> Self {
        self.reading.drops_managed_fields = true;
        self
    }

    /// The kind of the objects.
    pub(crate) fn resource(&self) -> ResourceKind {
        self.resource
    }

    /// The part of the next request that knows about versions; `None` for the type's own one.
    pub(crate) fn call(&self) -> Option<NegotiatedCall> {
        let choice = self.choice.as_ref()?;
        let negotiation = choice.negotiation.clone();
        Some(NegotiatedCall::new(negotiation, choice.pinned))
    }

    /// The name of the version of the next request.
    pub(crate) fn version(&self) -> &'static str {
        self.call().map_or(self.resource.version(), |call| {
            call.agreed().version.as_str()
        })
    }

    /// The same versions for another representation of the objects, which does not require conversion.
    pub(crate) fn represented<R: Resource>(&self) -> Codecs<R> {
        Codecs {
            resource: self.resource,
            reading: self.reading,
            choice: self.choice.as_ref().map(|choice| Choice {
                negotiation: choice.negotiation.clone(),
                codec: |version| Codec {
                    version: version.as_str(),
                    ..Codec::own(ResourceKind::of::<R>())
                },
                pinned: choice.pinned,
            }),
        }
    }

    /// The same codecs for requests that all have the current version.
    pub(crate) fn pin(&self) -> Self {
        let mut codecs = self.clone();
        if let Some(choice) = &mut codecs.choice {
            choice.pinned = Some(choice.negotiation.current());
        }
        codecs
    }

    /// Whether the version to which these codecs are pinned is still the negotiated one.
    pub(crate) fn is_current(&self) -> bool {
        self.choice.as_ref().is_none_or(|choice| {
            let current = choice.negotiation.current().version;
            choice.pinned.is_none_or(|pinned| pinned.version == current)
        })
    }
}

fn read_list<W: Resource>(body: &[u8], keeps_invalid: bool) -> Result<List<W>, JsonError> {
    match keeps_invalid {
        true => List::from_slice_keeping_invalid(body),
        false => json::from_slice(body),
    }
}

/// The object in another version, and the losses.
fn shape<F: Convert<T>, T>(object: F) -> (T, Vec<Loss>) {
    Lossy::parts(object.convert_shape(Release::NEWEST))
}
