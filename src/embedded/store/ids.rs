//! Uids and the random ends of generated names; replayable when seeded.

use uuid::Builder;

/// Letters and digits that cannot form a word by accident, as the API uses them.
const SUFFIX: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Source of identities.
pub(crate) struct Ids(fastrand::Rng);

impl Ids {
    /// `revision` keeps a hub that was opened again from repeating the uids of its first life.
    pub(crate) fn new(seed: Option<u64>, revision: u64) -> Self {
        Self(match seed {
            Some(seed) => fastrand::Rng::with_seed(seed.rotate_left(17) ^ revision),
            None => fastrand::Rng::new(),
        })
    }

    pub(crate) fn uid(&mut self) -> String {
        let bytes: [u8; 16] = std::array::from_fn(|_| self.0.u8(..));
        Builder::from_random_bytes(bytes).into_uuid().to_string()
    }

    /// Five characters.
    pub(crate) fn suffix(&mut self) -> String {
        (0..5)
            .filter_map(|_| SUFFIX.get(self.0.usize(..SUFFIX.len())))
            .map(|byte| char::from(*byte))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_and_a_second_life_does_not() {
        let uid = |revision| Ids::new(Some(7), revision).uid();
        assert_eq!(uid(0), uid(0));
        assert_ne!(uid(0), uid(12));
        assert_eq!(Ids::new(None, 0).suffix().len(), 5);
    }
}
