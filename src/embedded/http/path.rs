//! Request paths: which resource, namespace, name and subresource they mean.

/// What a path means.
#[derive(Debug, PartialEq)]
pub(super) enum Route<'a> {
    /// `/api`, `/apis`, `/apis/G`, `/api/v1`, `/apis/G/V`.
    CoreVersions,
    Groups,
    Group(&'a str),
    Version(&'a str, &'a str),
    Resource(Target<'a>),
    OpenApi,
    OpenApiDocument(&'a str, &'a str),
    ServerVersion,
    /// Which of the three, and what check of it.
    Health(&'a str, &'a str),
    Nowhere,
}

/// A resource path taken apart.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Target<'a> {
    pub group: &'a str,
    pub version: &'a str,
    pub namespace: Option<&'a str>,
    pub plural: &'a str,
    pub name: Option<&'a str>,
    pub subresource: Option<&'a str>,
    /// The old form of a watch, `/watch/` in the path.
    pub watch: bool,
}

/// Takes a path apart. Empty parts (a trailing slash) do not count.
pub(super) fn parse(path: &str) -> Route<'_> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["api"] => Route::CoreVersions,
        ["apis"] => Route::Groups,
        ["apis", group] => Route::Group(group),
        ["api", "v1"] => Route::Version("", "v1"),
        ["apis", group, version] => Route::Version(group, version),
        ["api", "v1", rest @ ..] => target("", "v1", rest),
        ["apis", group, version, rest @ ..] => target(group, version, rest),
        ["openapi", "v3"] => Route::OpenApi,
        ["openapi", "v3", "api", version] => Route::OpenApiDocument("", version),
        ["openapi", "v3", "apis", group, version] => Route::OpenApiDocument(group, version),
        ["version"] => Route::ServerVersion,
        [which @ ("healthz" | "livez" | "readyz"), rest @ ..] => {
            Route::Health(which, rest.first().copied().unwrap_or_default())
        }
        _ => Route::Nowhere,
    }
}

fn target<'a>(group: &'a str, version: &'a str, rest: &[&'a str]) -> Route<'a> {
    let mut target = Target {
        group,
        version,
        ..Target::default()
    };
    let rest = match rest {
        ["watch", rest @ ..] if !rest.is_empty() => {
            target.watch = true;
            rest
        }
        rest => rest,
    };
    // `namespaces/N` alone, and its own subresources, are the namespace itself.
    let rest = match rest {
        ["namespaces", _] | ["namespaces", _, "status" | "finalize"] => rest,
        ["namespaces", namespace, rest @ ..] => {
            target.namespace = Some(namespace);
            rest
        }
        rest => rest,
    };
    let [plural, rest @ ..] = rest else {
        return Route::Nowhere;
    };
    target.plural = plural;
    target.name = rest.first().copied();
    target.subresource = rest.get(1).copied();
    Route::Resource(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        let Route::Resource(target) = parse("/apis/g.io/v1/namespaces/n/widgets/w/status") else {
            panic!("a resource");
        };
        assert_eq!((target.group, target.version), ("g.io", "v1"));
        assert_eq!(target.namespace, Some("n"));
        assert_eq!((target.plural, target.name), ("widgets", Some("w")));
        assert_eq!(target.subresource, Some("status"));
        let Route::Resource(target) = parse("/api/v1/namespaces/n") else {
            panic!("a resource");
        };
        assert_eq!(
            (target.plural, target.name, target.namespace),
            ("namespaces", Some("n"), None)
        );
        let Route::Resource(target) = parse("/api/v1/watch/namespaces/n/events/") else {
            panic!("a resource");
        };
        assert!(target.watch && target.plural == "events" && target.name.is_none());
        assert_eq!(parse("/apis/g.io"), Route::Group("g.io"));
        assert_eq!(parse("/nothing"), Route::Nowhere);
    }
}
