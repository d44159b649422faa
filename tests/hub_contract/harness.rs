//! Targets of the suite, and a plain HTTP helper that shows answers as they come.

use std::sync::OnceLock;

use fleetdeck::clock::Clock;
use fleetdeck::embedded::{Hub, Options, Serving, StoreKind};
use http::{HeaderMap, Method, Request};
use http_body_util::BodyExt;
use kube::client::Body;
use serde_json::{Value, json};

use crate::apiserver::apiserver;
use kube::config::{KubeConfigOptions, Kubeconfig};

/// A server under test, with a namespace of the case's own.
pub struct Target {
    pub client: kube::Client,
    pub namespace: String,
    /// Whether it is a real kube-apiserver (without a controller manager).
    pub real: bool,
    /// Kept alive with the case.
    _hub: Option<(Hub, Option<Serving>)>,
}

/// An answer as it came.
pub struct Answer {
    pub code: u16,
    pub headers: HeaderMap,
    pub text: String,
    pub body: Value,
}

pub async fn hub() -> Hub {
    let options = Options {
        store: StoreKind::Memory,
        clock: Clock::system(),
        seed: None,
    };
    Hub::open(options).await.expect("a hub")
}

/// A client that shows every answer as it comes instead of asking again.
async fn patient_client(kubeconfig: &Kubeconfig) -> kube::Client {
    let options = KubeConfigOptions::default();
    let config = kube::Config::from_custom_kubeconfig(kubeconfig.clone(), &options).await;
    let mut config = config.expect("a usable kubeconfig");
    config.default_retry = false;
    kube::Client::try_from(config).expect("a client")
}

impl Target {
    pub async fn in_process() -> Self {
        let hub = hub().await;
        Self::new(hub.client(), false, Some((hub, None))).await
    }

    pub async fn over_tls() -> Self {
        let hub = hub().await;
        let serving = hub
            .serve("127.0.0.1:0".parse().unwrap())
            .await
            .expect("served");
        let client = patient_client(&serving.kubeconfig).await;
        Self::new(client, false, Some((hub, Some(serving)))).await
    }

    /// None where there is no real server.
    pub async fn real() -> Option<Self> {
        let server = tokio::task::spawn_blocking(apiserver).await.unwrap()?;
        Some(Self::new(patient_client(server.kubeconfig()).await, true, None).await)
    }

    async fn new(client: kube::Client, real: bool, hub: Option<(Hub, Option<Serving>)>) -> Self {
        static COUNT: OnceLock<std::sync::atomic::AtomicUsize> = OnceLock::new();
        let count = COUNT.get_or_init(Default::default);
        let number = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let target = Self {
            client,
            namespace: format!("case-{number}"),
            real,
            _hub: hub,
        };
        let name = &target.namespace;
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        let made = target.post("/api/v1/namespaces", &namespace).await;
        assert_eq!(made.code, 201, "{}", made.text);
        target
    }

    pub async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.client.send(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Answer {
            code: parts.status.as_u16(),
            headers: parts.headers,
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
            text,
        }
    }

    pub async fn raw(&self, method: Method, path: &str, kind: &str, body: &[u8]) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !kind.is_empty() {
            request = request.header("content-type", kind);
        }
        self.send(request.body(Body::from(body.to_vec())).unwrap())
            .await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.raw(Method::GET, path, "", b"").await
    }

    pub async fn get_as(&self, path: &str, accept: &str) -> Answer {
        let request = Request::get(path).header("accept", accept);
        self.send(request.body(Body::empty()).unwrap()).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.raw(
            Method::POST,
            path,
            "application/json",
            body.to_string().as_bytes(),
        )
        .await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.raw(
            Method::PUT,
            path,
            "application/json",
            body.to_string().as_bytes(),
        )
        .await
    }

    pub async fn merge(&self, path: &str, body: &Value) -> Answer {
        let kind = "application/merge-patch+json";
        self.raw(Method::PATCH, path, kind, body.to_string().as_bytes())
            .await
    }

    pub async fn json_patch(&self, path: &str, body: &Value) -> Answer {
        let kind = "application/json-patch+json";
        self.raw(Method::PATCH, path, kind, body.to_string().as_bytes())
            .await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.raw(Method::DELETE, path, "", b"").await
    }

    /// Lines of a watch until `count` of them, or until it ends.
    pub async fn watch(&self, path: &str, count: usize) -> Vec<Value> {
        use futures::{AsyncBufReadExt, StreamExt};
        let request = Request::get(path).body(Vec::new()).unwrap();
        let lines = self
            .client
            .request_stream(request)
            .await
            .expect("a stream")
            .lines();
        let lines = lines
            .take(count)
            .map(|line| serde_json::from_str(&line.unwrap()).unwrap());
        let all = tokio::time::timeout(std::time::Duration::from_secs(20), lines.collect());
        all.await.expect("the watch says enough in time")
    }

    /// Path of the case's widgets.
    pub fn widgets(&self) -> String {
        format!("/apis/{GROUP}/v1/namespaces/{}/widgets", self.namespace)
    }

    /// Makes sure that the widgets' definition is there.
    pub async fn define_widgets(&self) {
        const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        let made = self.post(DEFINITIONS, &definition()).await;
        assert!(matches!(made.code, 201 | 409), "{}", made.text);
        for _ in 0..200 {
            if self.get(&self.widgets()).await.code == 200 {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("widgets are not served");
    }

    /// A widget that is made and answered.
    pub async fn widget(&self, name: &str, spec: Value) -> Value {
        let made = self.post(&self.widgets(), &widget(name, spec)).await;
        assert_eq!(made.code, 201, "{}", made.text);
        made.body
    }
}

impl Answer {
    pub fn message(&self) -> &str {
        self.body["message"].as_str().unwrap_or(&self.text)
    }

    pub fn reason(&self) -> &str {
        self.body["reason"].as_str().unwrap_or_default()
    }

    /// Causes as `reason field: message`, sorted: the API's own order is random.
    pub fn causes(&self) -> Vec<String> {
        let causes = self.body["details"]["causes"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut causes: Vec<String> = causes
            .iter()
            .map(|c| {
                format!(
                    "{} {}: {}",
                    text(&c["reason"]),
                    text(&c["field"]),
                    text(&c["message"])
                )
            })
            .collect();
        causes.sort();
        causes
    }

    pub fn warnings(&self) -> Vec<&str> {
        self.headers
            .get_all("warning")
            .iter()
            .filter_map(|value| value.to_str().ok())
            .collect()
    }

    pub fn revision(&self) -> &str {
        self.body["metadata"]["resourceVersion"]
            .as_str()
            .unwrap_or_default()
    }

    pub fn generation(&self) -> i64 {
        self.body["metadata"]["generation"]
            .as_i64()
            .unwrap_or_default()
    }

    /// Code, reason and message must be these.
    #[track_caller]
    pub fn refused(&self, code: u16, reason: &str, message: &str) {
        let got = (self.code, self.reason(), self.message());
        assert_eq!(got, (code, reason, message));
    }
}

pub const GROUP: &str = "example.fleetdeck.io";

pub fn widget(name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": "Widget",
        "metadata": {"name": name},
        "spec": spec,
    })
}

/// A definition with a property for every kind of violation.
pub fn definition() -> Value {
    let spec = json!({
        "type": "object",
        "properties": {
            "size": {"type": "string", "enum": ["small", "medium", "large"]},
            "count": {"type": "integer", "minimum": 0, "maximum": 100},
            "code": {"type": "string", "minLength": 3, "maxLength": 10, "pattern": "^[a-z]{2}[0-9]+$"},
            "when": {"type": "string", "format": "date-time"},
            "port": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]},
            "ratio": {"type": "number", "multipleOf": 0.25},
            "small32": {"type": "integer", "format": "int32"},
            "mode": {"type": "string", "default": "auto"},
            "maybe": {"type": "string", "nullable": true},
            "listSet": {"type": "array", "maxItems": 3, "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            "listAtomic": {"type": "array", "minItems": 1, "items": {"type": "integer"}},
            "listMap": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name", "proto"],
                "items": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {
                        "name": {"type": "string"},
                        "proto": {"type": "string", "default": "TCP"},
                        "value": {"type": "integer", "x-kubernetes-validations": [
                            {"rule": "self >= oldSelf", "message": "value only rises"}
                        ]}
                    }
                }
            },
            "oneof": {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "oneOf": [{"required": ["a"]}, {"required": ["b"]}]
            },
            "anyof": {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "anyOf": [{"required": ["a"]}, {"required": ["b"]}]
            },
            "need": {
                "type": "object",
                "required": ["code"],
                "properties": {"code": {"type": "string"}}
            },
            "lo": {"type": "integer"},
            "hi": {"type": "integer"},
            "immut": {"type": "string", "x-kubernetes-validations": [
                {"rule": "self == oldSelf", "message": "immut is immutable"}
            ]},
            "even": {"type": "integer", "x-kubernetes-validations": [{"rule": "self % 2 == 0"}]},
            "ten": {"type": "integer", "x-kubernetes-validations": [
                {"rule": "self < 10", "message": "ten or more", "reason": "FieldValueForbidden"}
            ]},
            "tags": {"type": "object", "additionalProperties": {"type": "string"}},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}
        },
        "x-kubernetes-validations": [
            {"rule": "!has(self.lo) || !has(self.hi) || self.lo <= self.hi", "messageExpression": "'lo is above hi'", "message": "unused"},
            {"rule": "!has(self.lo) || self.lo >= 0", "message": "lo is negative", "fieldPath": ".lo"}
        ]
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("widgets.{GROUP}")},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets", "shortNames": ["wd"], "categories": ["all"]},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "subresources": {"status": {}},
                "selectableFields": [{"jsonPath": ".spec.size"}, {"jsonPath": ".spec.lo"}],
                "additionalPrinterColumns": [
                    {"name": "Size", "type": "string", "jsonPath": ".spec.size"},
                    {"name": "Lo", "type": "integer", "jsonPath": ".spec.lo"},
                    {"name": "Set", "type": "string", "jsonPath": ".spec.listSet", "priority": 1},
                    {"name": "First", "type": "string", "jsonPath": ".spec.listMap[*].name"}
                ],
                "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "properties": {
                        "spec": spec,
                        "status": {
                            "type": "object",
                            "properties": {"phase": {"type": "string"}, "seen": {"type": "integer"}}
                        }
                    }
                }}
            }]
        }
    })
}

/// Runs one case on every target.
#[macro_export]
macro_rules! contract {
    ($($case:ident),+ $(,)?) => {$(
        mod $case {
            use $crate::harness::Target;

            #[tokio::test]
            async fn in_process() {
                super::cases::$case(&Target::in_process().await).await;
            }

            #[tokio::test]
            async fn over_tls() {
                super::cases::$case(&Target::over_tls().await).await;
            }

            #[tokio::test]
            async fn on_kube_apiserver() {
                if let Some(target) = Target::real().await {
                    super::cases::$case(&target).await;
                }
            }
        }
    )+};
}
