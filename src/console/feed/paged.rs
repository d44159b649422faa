//! Lists a kind in pages, for hubs that do not stream lists.

use kube::client::Body;

use super::batch::Batch;
use super::decode::{Page, Watched};
use super::watch::{End, Watching};
use crate::console::msg::Change;

/// Objects in a page.
const SIZE: usize = 500;

/// Brings the whole kind; returns the version that a watch goes on from.
pub(super) async fn list<K: Watched>(
    watching: &Watching,
    batch: &mut Batch,
) -> Result<Option<String>, End> {
    let mut next: Option<String> = None;
    let mut first = true;
    loop {
        let mut query = format!("limit={SIZE}");
        if let Some(token) = &next {
            query.push_str("&continue=");
            query.push_str(&escape(token));
        }
        let body = watching.get::<K>(&query, true).await?;
        let page: Page<K> = read(body).await.map_err(End::Broken)?;
        if first {
            batch.push(Change::Relist(K::KIND)).await?;
            first = false;
        }
        for object in page.items {
            batch.push(object.into_change()).await?;
        }
        next = page.metadata.next.filter(|t| !t.is_empty());
        if next.is_none() {
            batch.push(Change::Synced(K::KIND)).await?;
            batch.flush().await?;
            return Ok(page.metadata.resource_version);
        }
        batch.flush().await?;
    }
}

async fn read<K: Watched>(body: Body) -> Result<Page<K>, String> {
    use http_body_util::BodyExt;
    let bytes = body.collect().await.map_err(|e| e.to_string())?.to_bytes();
    serde_json::from_slice(&bytes).map_err(|e| format!("the answer is no list: {e}"))
}

/// A text of the hub's inside a query.
pub(super) fn escape(token: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'~');
    let mut text = String::with_capacity(token.len());
    for b in token.bytes() {
        if plain(b) {
            text.push(char::from(b));
        } else {
            text.push_str(&format!("%{b:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_token_survives_the_query() {
        assert_eq!(super::escape("aB1-_.~+/="), "aB1-_.~%2B%2F%3D");
    }
}
