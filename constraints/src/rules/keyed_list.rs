//! Lists that are sets or maps: their order does not count in comparisons, and a sum has each element once.

use cel::ExecutionError;
use cel::common::traits::{Adder, Container, Indexer, Iterable, Sizer, Zeroer};
use cel::common::types::{
    CelBool, CelBytes, CelDouble, CelDuration, CelInt, CelList, CelNull, CelString, CelTimestamp,
    LIST_TYPE, Type,
};
use cel::common::value::{Builtin, BuiltinRef, CowVal, Val};
use std::collections::HashMap;
use std::sync::Arc;

/// A list that is a set or a map. It is a list of CEL in all else.
#[derive(Clone, Debug)]
pub(super) struct KeyedList<'v> {
    elements: CelList<'v>,
    /// The names of the fields that are the key of an element; none in a set.
    keys: Arc<[String]>,
}

impl<'v> KeyedList<'v> {
    pub(super) fn new(elements: Vec<Box<dyn Val + 'v>>, keys: Vec<String>) -> Self {
        Self {
            elements: CelList::from(elements),
            keys: keys.into(),
        }
    }

    /// The key of an element; `None` if a part of it is not a scalar.
    fn key(&self, element: &dyn Val) -> Option<Vec<Option<Scalar>>> {
        let part = |name: &String| match field(element, name) {
            Some(value) => Scalar::of(value.as_ref()).map(Some),
            None => Some(None),
        };
        match self.keys.is_empty() {
            true => Some(vec![Some(Scalar::of(element)?)]),
            false => self.keys.iter().map(part).collect(),
        }
    }

    fn places(&self) -> Places<'_, 'v> {
        let mut by_key = HashMap::new();
        for (place, element) in self.elements.inner().iter().enumerate() {
            if let Some(key) = self.key(element.as_ref()) {
                by_key.entry(key).or_insert(place);
            }
        }
        Places { list: self, by_key }
    }
}

/// The places of a list's elements.
struct Places<'a, 'v> {
    list: &'a KeyedList<'v>,
    by_key: HashMap<Vec<Option<Scalar>>, usize>,
}

impl Places<'_, '_> {
    /// The place of the element with the same key. Keys that are not scalars, which no definition of a server has, are not found.
    fn of(&self, element: &dyn Val) -> Option<usize> {
        self.by_key.get(&self.list.key(element)?).copied()
    }
}

/// A scalar that can be a key. Numbers of all types are equal if their values are.
#[derive(PartialEq, Eq, Hash)]
enum Scalar {
    Null,
    Bool(bool),
    Integer(i64),
    /// The bits of a float that is not an integer.
    Float(u64),
    Text(String),
    Bytes(Vec<u8>),
    Time(i64, u32),
    Duration(i64),
}

impl Scalar {
    fn of(value: &dyn Val) -> Option<Self> {
        if let Some(text) = value.downcast_ref::<CelString<'_>>() {
            return Some(Self::Text(text.inner().to_owned()));
        }
        if let Some(integer) = value.downcast_ref::<CelInt>() {
            return Some(Self::Integer(*integer.inner()));
        }
        if let Some(float) = value.downcast_ref::<CelDouble>() {
            let (float, integer) = (*float.inner(), *float.inner() as i64);
            return Some(match integer as f64 == float {
                true => Self::Integer(integer),
                false => Self::Float(float.to_bits()),
            });
        }
        if let Some(flag) = value.downcast_ref::<CelBool>() {
            return Some(Self::Bool(*flag.inner()));
        }
        if let Some(time) = value.downcast_ref::<CelTimestamp>() {
            let time = time.inner();
            return Some(Self::Time(time.timestamp(), time.timestamp_subsec_nanos()));
        }
        if let Some(duration) = value.downcast_ref::<CelDuration>() {
            return duration.inner().num_nanoseconds().map(Self::Duration);
        }
        if let Some(bytes) = value.downcast_ref::<CelBytes<'_>>() {
            return Some(Self::Bytes(bytes.inner().to_vec()));
        }
        value.downcast_ref::<CelNull>().map(|_| Self::Null)
    }
}

fn field<'b>(element: &'b dyn Val, name: &str) -> Option<CowVal<'b, 'b>> {
    let name = CelString::from(name.to_owned());
    element.as_indexer()?.get(&name).ok()
}

impl Val for KeyedList<'_> {
    fn get_type(&self) -> &Type {
        <Self as Val>::cel_type()
    }

    fn cel_type() -> &'static Type {
        &LIST_TYPE
    }

    fn as_adder<'b, 'w>(&'b self) -> Option<&'b (dyn Adder + 'w)>
    where
        Self: 'w,
    {
        Some(self)
    }

    fn as_container(&self) -> Option<&dyn Container> {
        self.elements.as_container()
    }

    fn as_indexer<'b, 'w>(&'b self) -> Option<&'b (dyn Indexer + 'w)>
    where
        Self: 'w,
    {
        self.elements.as_indexer()
    }

    fn into_indexer<'w>(self: Box<Self>) -> Option<Box<dyn Indexer + 'w>>
    where
        Self: 'w,
    {
        Some(Box::new(self.elements))
    }

    fn as_iterable<'b, 'w>(&'b self) -> Option<&'b (dyn Iterable + 'w)>
    where
        Self: 'w,
    {
        self.elements.as_iterable()
    }

    fn as_sizer(&self) -> Option<&dyn Sizer> {
        self.elements.as_sizer()
    }

    fn as_zeroer(&self) -> Option<&dyn Zeroer> {
        self.elements.as_zeroer()
    }

    fn equals(&self, other: &dyn Val) -> bool {
        let Some(other) = other.downcast_ref::<CelList<'_>>() else {
            return false;
        };
        let places = self.places();
        let is_here = |element: &dyn Val| {
            let place = places.of(element);
            place.is_some_and(|place| self.elements.inner()[place].equals(element))
        };
        let (own, other) = (self.elements.inner(), other.inner());
        own.len() == other.len() && other.iter().all(|element| is_here(element.as_ref()))
    }

    fn clone_as_boxed<'w>(&self) -> Box<dyn Val + 'w>
    where
        Self: 'w,
    {
        Box::new(self.clone())
    }

    fn as_builtin<'b, 'w>(&'b self) -> BuiltinRef<'b, 'w>
    where
        Self: 'w,
    {
        BuiltinRef::List(&self.elements)
    }

    fn into_builtin<'w>(self: Box<Self>) -> Option<Builtin<'w>>
    where
        Self: 'w,
    {
        Some(Builtin::List(self.elements))
    }
}

impl Adder for KeyedList<'_> {
    /// The elements, and the other list's that are not here. In a map, an element of the other list replaces that with its key.
    fn add<'b, 'w>(&'b self, other: &(dyn Val + 'w)) -> Result<CowVal<'b, 'w>, ExecutionError>
    where
        Self: 'w,
    {
        let Some(other) = other.downcast_ref::<CelList<'_>>() else {
            let types = vec![
                LIST_TYPE.name().to_owned(),
                other.get_type().name().to_owned(),
            ];
            return Err(ExecutionError::no_such_overload("_+_", types));
        };
        let mut sum: Vec<Box<dyn Val + 'w>> = self
            .elements
            .inner()
            .iter()
            .map(|element| element.clone_as_boxed())
            .collect();
        let places = self.places();
        for element in other.inner() {
            match places.of(element.as_ref()) {
                Some(place) => sum[place] = element.clone_as_boxed(),
                None => sum.push(element.clone_as_boxed()),
            }
        }
        Ok(CowVal::owned(KeyedList {
            elements: CelList::from(sum),
            keys: Arc::clone(&self.keys),
        }))
    }
}
