//! Keys that stand twice in one JSON object: the last value counts, and the client is told.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::embedded::schema::join;

/// Paths of keys that `body` has twice.
pub(super) fn find(body: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut json = serde_json::Deserializer::from_slice(body);
    let walk = Walk {
        path: String::new(),
        found: &mut found,
    };
    // A body that is not JSON has been refused already, or is YAML, which knows no duplicates.
    let _ = walk.deserialize(&mut json);
    found
}

struct Walk<'a> {
    path: String,
    found: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut index = 0;
        loop {
            let walk = Walk {
                path: format!("{}[{index}]", self.path),
                found: self.found,
            };
            if items.next_element_seed(walk)?.is_none() {
                return Ok(());
            }
            index += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(name) = fields.next_key::<String>()? {
            let path = join(&self.path, &name);
            if seen.insert(name) {
                fields.next_value_seed(Walk {
                    path,
                    found: self.found,
                })?;
            } else {
                self.found.push(path);
                fields.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn twice_in_one_object_only() {
        let body = br#"{"a":1,"b":{"c":1,"c":2},"d":[{"e":1},{"e":1,"e":2}]}"#;
        assert_eq!(super::find(body), ["b.c", "d[1].e"]);
        assert!(super::find(b"nope").is_empty());
    }
}
