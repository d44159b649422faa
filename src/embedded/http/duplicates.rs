//! Keys that stand twice in one JSON object: the last value counts, and the client is told.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use serde_json::Value;

use crate::embedded::schema::join;

/// Paths of keys that `body` has twice, where `read` is what was made of it.
pub(super) fn find(body: &[u8], read: &Value) -> Vec<String> {
    let mut found = Vec::new();
    // A value holds each key once, so the usual body is known to be right by counting.
    let mut written = 0;
    let counted = Count(&mut written).deserialize(&mut serde_json::Deserializer::from_slice(body));
    if counted.is_ok() && written == keys(read) {
        return found;
    }
    let mut json = serde_json::Deserializer::from_slice(body);
    let walk = Walk {
        path: String::new(),
        found: &mut found,
    };
    // A body that is not JSON has been refused already, or is YAML, which knows no duplicates.
    let _ = walk.deserialize(&mut json);
    found
}

/// How many keys all objects of a value have.
fn keys(value: &Value) -> usize {
    match value {
        Value::Object(map) => map.len() + map.values().map(keys).sum::<usize>(),
        Value::Array(items) => items.iter().map(keys).sum(),
        _ => 0,
    }
}

/// Counts the keys in a text.
struct Count<'a>(&'a mut usize);

impl<'de> DeserializeSeed<'de> for Count<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Count<'_> {
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
        while items.next_element_seed(Count(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while fields.next_key::<IgnoredAny>()?.is_some() {
            *self.0 += 1;
            fields.next_value_seed(Count(self.0))?;
        }
        Ok(())
    }
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
        let find = |body: &[u8]| {
            let read = serde_json::from_slice(body).unwrap_or_default();
            super::find(body, &read)
        };
        assert_eq!(find(body), ["b.c", "d[1].e"]);
        assert!(find(br#"{"a":{"b":null,"c":[1,{"b":-2.5}]},"b":true}"#).is_empty());
        assert!(find(b"nope").is_empty());
    }
}
