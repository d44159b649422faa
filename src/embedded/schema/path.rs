//! Where a value stands in an object: followed at no cost, and spelled out only for somebody who is
//! told of it. Every write walks whole objects, and nearly none has anything to tell.

use std::fmt;

/// A place in an object.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    /// The object itself.
    Root,
    /// A field of what stands there.
    Field(&'a Path<'a>, &'a str),
    /// An item of the list there.
    Item(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    pub(crate) fn field(&'a self, name: &'a str) -> Self {
        Self::Field(self, name)
    }

    pub(crate) fn item(&'a self, index: usize) -> Self {
        Self::Item(self, index)
    }

    pub(crate) fn is_root(&self) -> bool {
        matches!(self, Self::Root)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => f.write_str(name),
            Self::Field(above, name) => write!(f, "{above}.{name}"),
            Self::Item(above, index) => write!(f, "{above}[{index}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Path;

    #[test]
    fn spelled_as_the_api_does() {
        let (root, list) = (Path::Root, Path::Root.field("spec").to_string());
        assert_eq!((root.to_string(), list), (String::new(), "spec".to_owned()));
        let spec = root.field("spec");
        let pools = spec.field("pools");
        let second = pools.item(1);
        assert_eq!(second.field("name").to_string(), "spec.pools[1].name");
        assert_eq!(root.item(0).to_string(), "[0]");
    }
}
