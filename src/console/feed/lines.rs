//! Cuts a body that never ends into lines.

use bytes::{Buf, Bytes, BytesMut};
use http_body_util::BodyExt;
use kube::client::Body;

/// Lines of a response's body.
pub(super) struct Lines {
    body: Body,
    held: BytesMut,
    /// Bytes of `held` that are known to hold no line end.
    searched: usize,
}

impl Lines {
    pub fn new(body: Body) -> Self {
        Self {
            body,
            held: BytesMut::new(),
            searched: 0,
        }
    }

    /// A line that is here already.
    pub fn ready(&mut self) -> Option<Bytes> {
        let rest = self.held.get(self.searched..)?;
        let Some(at) = rest.iter().position(|b| *b == b'\n') else {
            self.searched = self.held.len();
            return None;
        };
        let line = self.held.split_to(self.searched + at).freeze();
        self.held.advance(1);
        self.searched = 0;
        Some(line)
    }

    /// Waits for more bytes. `Ok(false)`: there are none any more.
    pub async fn more(&mut self) -> Result<bool, kube::Error> {
        loop {
            match self.body.frame().await {
                None => return Ok(false),
                Some(Err(error)) => return Err(error),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.held.extend_from_slice(&data);
                        return Ok(true);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_whole_wherever_the_body_is_cut() {
        let mut lines = Lines::new(Body::from(b"one\ntwo\n\nrest".to_vec()));
        assert!(lines.ready().is_none());
        let mut found = Vec::new();
        while lines.more().await.unwrap() {
            while let Some(line) = lines.ready() {
                found.push(line);
            }
        }
        assert_eq!(found, ["one", "two", ""]);
    }
}
