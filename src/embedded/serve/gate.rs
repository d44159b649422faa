//! Who is let in over the network: whoever shows the token.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::AUTHORIZATION;

use crate::embedded::http::{User, refused};
use crate::embedded::refusal::Refusal;

/// Name of the user that the token stands for.
const ADMIN: &str = "fleetdeck-admin";

/// Lets a request through, or refuses it.
pub(super) async fn check(
    State(token): State<Arc<str>>,
    mut request: Request,
    next: Next,
) -> Response {
    let shown = request
        .headers()
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    match shown {
        Some(shown) if same(shown.trim(), &token) => {
            request.extensions_mut().insert(User(ADMIN.to_owned()));
            next.run(request).await
        }
        Some(_) => refused(&Refusal::new(401, "Unauthorized", "Unauthorized")),
        None if is_public(request.uri().path()) => next.run(request).await,
        None => refused(&anonymous(&request)),
    }
}

/// Compares without telling by its duration how much was right.
fn same(shown: &str, token: &str) -> bool {
    shown.len() == token.len()
        && shown
            .bytes()
            .zip(token.bytes())
            .fold(0, |differences, (a, b)| differences | (a ^ b))
            == 0
}

fn is_public(path: &str) -> bool {
    matches!(
        path,
        "/healthz" | "/livez" | "/readyz" | "/version" | "/version/"
    )
}

fn anonymous(request: &Request) -> Refusal {
    let verb = match request.method().as_str() {
        "POST" => "create",
        "PUT" => "update",
        "PATCH" => "patch",
        "DELETE" => "delete",
        _ => "get",
    };
    let mut refusal = Refusal::new(
        403,
        "Forbidden",
        format!(
            "forbidden: User \"system:anonymous\" cannot {verb} path \"{}\"",
            request.uri().path()
        ),
    );
    refusal.details = Some(serde_json::json!({}));
    refusal
}
