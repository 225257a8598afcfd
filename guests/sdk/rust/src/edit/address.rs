use crate::cbor;
use crate::json;
use crate::value::Value;
use std::fmt;

/// A step from a value to one inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the member of an object with this name.
    Member(String),
    /// To the element of a list with this index, counted from 0.
    Element(usize),
}

/// The way from the top of a payload to a value.
///
/// ```
/// use pintle::edit::Address;
/// let at = Address::top("input").element(0).member("role");
/// assert_eq!(at.to_string(), r#"["input",0,"role"]"#);
/// assert_eq!((at.name(0), at.index(1), at.name(2), at.len()), (Some("input"), Some(0), Some("role"), 3));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    steps: Vec<Step>,
}

impl Address {
    /// The address of a member of the payload itself.
    pub fn top(name: &str) -> Self {
        Address::default().member(name)
    }

    /// The address of a member of the object at this one.
    pub fn member(&self, name: &str) -> Self {
        self.with(Step::Member(name.to_owned()))
    }

    /// The address of an element of the list at this one.
    pub fn element(&self, index: usize) -> Self {
        self.with(Step::Element(index))
    }

    fn with(&self, step: Step) -> Self {
        let mut steps = Vec::with_capacity(self.steps.len() + 1);
        steps.extend_from_slice(&self.steps);
        steps.push(step);
        Address { steps }
    }

    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether it is the address of the payload itself.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The name of the member that a step leads to, if it leads to one. Steps are counted from 0.
    pub fn name(&self, step: usize) -> Option<&str> {
        match self.steps.get(step) {
            Some(Step::Member(name)) => Some(name),
            _ => None,
        }
    }

    /// The index of the element that a step leads to, if it leads to one.
    pub fn index(&self, step: usize) -> Option<usize> {
        match self.steps.get(step) {
            Some(Step::Element(index)) => Some(*index),
            _ => None,
        }
    }

    pub(super) fn from_request(steps: &Value<'_>) -> Self {
        let step = |v: &Value<'_>| match v.number() {
            Some(index) => Step::Element(index as usize),
            None => Step::Member(v.text().unwrap_or_default().to_owned()),
        };
        Address { steps: steps.items().iter().map(step).collect() }
    }

    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        cbor::list(out, self.steps.len());
        for step in &self.steps {
            match step {
                Step::Member(name) => cbor::text(out, name),
                Step::Element(index) => cbor::number(out, *index as u64),
            }
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, step) in self.steps.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            match step {
                Step::Member(name) => f.write_str(&json::quote(name))?,
                Step::Element(index) => write!(f, "{}", index)?,
            }
        }
        f.write_str("]")
    }
}
