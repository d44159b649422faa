//! Garbage collection, which on a real cluster is the controller manager's: the embedded hub only.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Target, widget};

async fn gone(t: &Target, path: &str) {
    for _ in 0..400 {
        if t.get(path).await.code == 404 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("{path} is still there");
}

async fn owned(t: &Target, name: &str, owners: &[(&Value, bool)]) -> Value {
    let mut body = widget(name, json!({}));
    let references: Vec<Value> = owners
        .iter()
        .map(|(owner, blocks)| {
            json!({
                "apiVersion": owner["apiVersion"],
                "kind": owner["kind"],
                "name": owner["metadata"]["name"],
                "uid": owner["metadata"]["uid"],
                "blockOwnerDeletion": blocks,
            })
        })
        .collect();
    body["metadata"]["ownerReferences"] = references.into();
    let made = t.post(&t.widgets(), &body).await;
    assert_eq!(made.code, 201, "{}", made.text);
    made.body
}

async fn target() -> Target {
    let target = Target::in_process().await;
    target.define_widgets().await;
    target
}

#[tokio::test]
async fn dependants_go_with_their_last_owner() {
    let t = &target().await;
    let (one, two) = (
        t.widget("one", json!({})).await,
        t.widget("two", json!({})).await,
    );
    let child = owned(t, "child", &[(&one, false)]).await;
    owned(t, "grandchild", &[(&child, false)]).await;
    owned(t, "shared", &[(&one, false), (&two, false)]).await;
    t.delete(&format!("{}/one", t.widgets())).await;
    gone(t, &format!("{}/child", t.widgets())).await;
    gone(t, &format!("{}/grandchild", t.widgets())).await;
    let shared = format!("{}/shared", t.widgets());
    for _ in 0..400 {
        let references = t.get(&shared).await.body["metadata"]["ownerReferences"].clone();
        if references.as_array().is_some_and(|r| r.len() == 1) {
            t.delete(&format!("{}/two", t.widgets())).await;
            return gone(t, &shared).await;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the reference to the deleted owner is still there");
}

#[tokio::test]
async fn an_owner_that_never_was_takes_its_dependant_with_it() {
    let t = &target().await;
    let mut never = t.widget("never", json!({})).await;
    never["metadata"]["uid"] = "00000000-0000-0000-0000-000000000000".into();
    owned(t, "child", &[(&never, false)]).await;
    gone(t, &format!("{}/child", t.widgets())).await;
    never["apiVersion"] = "unknown.io/v1".into();
    owned(t, "kept", &[(&never, false)]).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(t.get(&format!("{}/kept", t.widgets())).await.code, 200);
}

#[tokio::test]
async fn in_the_foreground_the_owner_waits() {
    let t = &target().await;
    let owner = t.widget("owner", json!({})).await;
    let held = owned(t, "held", &[(&owner, true)]).await;
    owned(t, "free", &[(&owner, false)]).await;
    let path = format!("{}/held", t.widgets());
    t.merge(&path, &json!({"metadata": {"finalizers": ["x.io/hold"]}}))
        .await;
    let deleted = t
        .delete(&format!(
            "{}/owner?propagationPolicy=Foreground",
            t.widgets()
        ))
        .await;
    assert_eq!(
        deleted.body["metadata"]["finalizers"],
        json!(["foregroundDeletion"])
    );
    gone(t, &format!("{}/free", t.widgets())).await;
    let waiting = t.get(&path).await;
    assert!(
        waiting.body["metadata"]["deletionTimestamp"].is_string(),
        "{}",
        waiting.text
    );
    assert_eq!(t.get(&format!("{}/owner", t.widgets())).await.code, 200);
    let left: Vec<Value> = waiting.body["metadata"]["finalizers"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|f| **f != json!("x.io/hold"))
        .cloned()
        .collect();
    t.merge(&path, &json!({"metadata": {"finalizers": left}}))
        .await;
    gone(t, &path).await;
    gone(t, &format!("{}/owner", t.widgets())).await;
    drop(held);
}

#[tokio::test]
async fn orphans_are_let_go() {
    let t = &target().await;
    let owner = t.widget("owner", json!({})).await;
    owned(t, "child", &[(&owner, true)]).await;
    t.delete(&format!("{}/owner?propagationPolicy=Orphan", t.widgets()))
        .await;
    gone(t, &format!("{}/owner", t.widgets())).await;
    let child = t.get(&format!("{}/child", t.widgets())).await;
    assert_eq!(child.code, 200);
    assert!(child.body["metadata"].get("ownerReferences").is_none());
}

#[tokio::test]
async fn a_namespace_goes_with_all_that_is_in_it() {
    let t = &target().await;
    t.widget("inside", json!({})).await;
    let mut held = widget("held", json!({}));
    held["metadata"]["finalizers"] = json!(["x.io/hold"]);
    t.post(&t.widgets(), &held).await;
    let path = format!("/api/v1/namespaces/{}", t.namespace);
    t.delete(&path).await;
    gone(t, &format!("{}/inside", t.widgets())).await;
    assert_eq!(t.get(&path).await.body["status"]["phase"], "Terminating");
    t.merge(
        &format!("{}/held", t.widgets()),
        &json!({"metadata": {"finalizers": null}}),
    )
    .await;
    gone(t, &path).await;
    let again = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": t.namespace}});
    assert_eq!(t.post("/api/v1/namespaces", &again).await.code, 201);
}

#[tokio::test]
async fn a_definition_goes_with_its_objects() {
    let t = &target().await;
    let mut held = widget("held", json!({}));
    held["metadata"]["finalizers"] = json!(["x.io/hold"]);
    t.post(&t.widgets(), &held).await;
    t.widget("free", json!({})).await;
    let path =
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.fleetdeck.io";
    t.delete(path).await;
    gone(t, &format!("{}/free", t.widgets())).await;
    let new = t.post(&t.widgets(), &widget("new", json!({}))).await;
    new.refused(
        403,
        "Forbidden",
        "widgets.example.fleetdeck.io \"new\" is forbidden: create not allowed while custom resource definition is terminating",
    );
    t.merge(
        &format!("{}/held", t.widgets()),
        &json!({"metadata": {"finalizers": null}}),
    )
    .await;
    gone(t, path).await;
    assert_eq!(t.get(&t.widgets()).await.text, "404 page not found\n");
}
