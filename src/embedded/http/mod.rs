//! The hub as a tower service: paths, methods, headers, media types.

mod accept;
mod answer;
mod body;
mod discovery;
mod duplicates;
mod objects;
mod openapi;
mod path;
mod query;
mod reviews;
mod small;
mod streams;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use tower_http::catch_panic::CatchPanicLayer;

use self::path::Route;
use crate::embedded::refusal::Refusal;
use crate::embedded::registry::Registry;

pub(crate) use answer::refused;

/// Who sends a request: set by the listener, absent inside the process.
#[derive(Clone, Debug)]
pub(crate) struct User(pub String);

/// The whole API of one hub.
pub(crate) fn router(registry: Arc<Registry>) -> Router {
    Router::new()
        .fallback(handle)
        .layer(CatchPanicLayer::new())
        .with_state(registry)
}

async fn handle(State(registry): State<Arc<Registry>>, request: Request) -> Response {
    let mut response = match route(&registry, request).await {
        Ok(response) => response,
        Err(refusal) => refused(&refusal),
    };
    // The hub's own time, by which its objects' instants are meant.
    let now = registry
        .store
        .clock()
        .now()
        .strftime("%a, %d %b %Y %H:%M:%S GMT");
    if let Ok(date) = now.to_string().parse() {
        response.headers_mut().insert(http::header::DATE, date);
    }
    response
}

async fn route(registry: &Arc<Registry>, request: Request) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    let catalog = registry.catalog();
    match path::parse(parts.uri.path()) {
        Route::Resource(target) if reviews::is_review(&target) => {
            reviews::answer(&target, &parts, body).await
        }
        Route::Resource(target) => objects::answer(registry, &catalog, &target, &parts, body).await,
        Route::CoreVersions => discovery::core_versions(&catalog, &parts.headers),
        Route::Groups => discovery::groups(&catalog, &parts.headers),
        Route::Group(group) => discovery::group(&catalog, group),
        Route::Version(group, version) => discovery::resources(&catalog, group, version),
        Route::OpenApi => Ok(openapi::index(&catalog)),
        Route::OpenApiDocument(group, version) => openapi::document(&catalog, group, version),
        Route::ServerVersion => Ok(small::version(registry.store.clock())),
        Route::Health(which, check) => small::health(which, check, parts.uri.query()),
        Route::Nowhere => Err(Refusal::no_such_path()),
    }
}
