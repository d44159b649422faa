//! `get` and `delete`: objects of any of our kinds.

use kube::Api;
use kube::api::{DeleteParams, DynamicObject, Preconditions};
use serde_json::Value;

use super::args::{DeleteArgs, GetArgs};
use super::columns;
use super::context::Context;
use super::error::Error;
use super::exit::Exit;
use super::kinds::Kind;
use crate::hub::verbs::{self, Error as HubError, Expect, Object};

/// `get KIND [NAME]`.
pub async fn get(args: &GetArgs, ctx: &mut Context) -> Result<Exit, Error> {
    let kind = Kind::parse(&args.kind)?;
    let found = match &args.name {
        Some(name) => vec![read(ctx, kind, name).await?],
        None => columns::list(ctx, kind, args.selector.as_deref())
            .await
            .map_err(|e| e.tried(format!("get {}", kind.name())))?,
    };
    columns::print(ctx, kind, &found, args.print.output, args.name.is_some())?;
    Ok(Exit::Done)
}

/// One object.
pub async fn read(ctx: &mut Context, kind: Kind, name: &str) -> Result<DynamicObject, Error> {
    let api: Api<DynamicObject> = kind.api(&ctx.client);
    let what = Object::new(kind.name(), name);
    api.get(name).await.map_err(|e| {
        let error = Error::from(HubError::from_kube(e, what));
        error.tried(format!("get {} {name}", kind.name()))
    })
}

/// `delete KIND NAME`.
pub async fn delete(args: &DeleteArgs, ctx: &mut Context) -> Result<Exit, Error> {
    let kind = Kind::parse(&args.kind)?;
    let tried = format!("delete {} {}", kind.name(), args.name);
    ctx.may_write().map_err(|e| e.tried(tried.as_str()))?;
    let deleted = remove(ctx, kind, &args.name).await;
    let gone = deleted.map_err(|e| e.tried(tried.as_str()))?;
    if !ctx.out.objects(&[gone], args.print.output, true)? {
        ctx.out
            .line(&format!("{} {} deleted", kind.name(), args.name))?;
    }
    Ok(Exit::Done)
}

async fn remove(ctx: &mut Context, kind: Kind, name: &str) -> Result<Value, Error> {
    match kind {
        Kind::Run => {
            let run = verbs::delete(&ctx.client, name, &Expect::default()).await?;
            return Ok(columns::typed(kind, &run));
        }
        Kind::Gate | Kind::Update => {
            let message = format!("a {} is made and removed by its run alone", kind.name());
            return Err(Error::new(Exit::Other, "InvalidOperation", message)
                .hint("skip its group or stage with `run skip`, or delete the run"));
        }
        Kind::Member | Kind::Strategy => {}
    }
    let object = read(ctx, kind, name).await?;
    let params = DeleteParams {
        preconditions: Some(Preconditions {
            uid: object.metadata.uid.clone(),
            resource_version: None,
        }),
        ..DeleteParams::default()
    };
    let api: Api<DynamicObject> = kind.api(&ctx.client);
    let answer = api.delete(name, &params).await;
    answer.map_err(|e| HubError::from_kube(e, Object::new(kind.name(), name)))?;
    Ok(columns::value(kind, &object))
}
