//! Version and health.

use axum::response::Response;
use serde_json::json;

use super::answer;
use crate::clock::{Clock, reading};
use crate::embedded::refusal::Refusal;

/// Kubernetes version whose API this hub follows.
const MINOR: &str = "36";

pub(super) fn version(clock: &Clock) -> Response {
    let mut response = answer::value(
        200,
        &json!({
            "major": "1",
            "minor": MINOR,
            "emulationMajor": "1",
            "emulationMinor": MINOR,
            "minCompatibilityMajor": "1",
            "minCompatibilityMinor": "35",
            "gitVersion": format!("v1.{MINOR}.0+fleetdeck.{}", env!("CARGO_PKG_VERSION")),
            "gitCommit": "",
            "gitTreeState": "",
            "buildDate": "",
            "goVersion": "",
            "compiler": "rustc",
            "platform": format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
        }),
    );
    if let Ok(told) = clock.reading().to_string().parse() {
        response.headers_mut().insert(reading::HEADER, told);
    }
    response
}

/// The hub answers, so it is well.
pub(super) fn health(which: &str, check: &str, query: Option<&str>) -> Result<Response, Refusal> {
    match check {
        "" if query.unwrap_or_default().contains("verbose") => Ok(answer::text(
            200,
            format!("[+]ping ok\n{which} check passed\n"),
        )),
        "" | "ping" => Ok(answer::text(200, "ok")),
        _ => Err(Refusal::no_such_path()),
    }
}
