//! Lists that are sets or maps: their order does not count in comparisons, and a sum has each element once.

use cel::ExecutionError;
use cel::common::traits::{Adder, Container, Indexer, Iterable, Sizer, Zeroer};
use cel::common::types::{CelList, CelString, LIST_TYPE, Type};
use cel::common::value::{Builtin, BuiltinRef, CowVal, Val};
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

    /// The place of the element with the same key.
    fn position(&self, of: &dyn Val) -> Option<usize> {
        let is_same = |key: &String, element: &dyn Val| match (field(element, key), field(of, key))
        {
            (Some(left), Some(right)) => left.as_ref().equals(right.as_ref()),
            (left, right) => left.is_none() && right.is_none(),
        };
        self.elements
            .inner()
            .iter()
            .position(|element| match self.keys.is_empty() {
                true => element.equals(of),
                false => self.keys.iter().all(|key| is_same(key, element.as_ref())),
            })
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
        let is_here = |element: &dyn Val| {
            let place = self.position(element);
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
    /// The elements, and those of the other list that are not here. In a map, an element of the other list replaces that with its key.
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
        for element in other.inner() {
            match self.position(element.as_ref()) {
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
