//! `crds` and `crds install`: fleetdeck's CustomResourceDefinitions.

use super::args::{CrdsArgs, CrdsCommand};
use super::context::Context;
use super::error::Error;
use super::exit::Exit;
use super::output;
use crate::api::crds::crds;
use crate::hub::kinds;

/// One definition as a file: its name and its YAML.
pub fn files() -> Result<Vec<(String, String)>, Error> {
    crds()
        .into_iter()
        .map(|crd| {
            let name = crd.metadata.name.clone().unwrap_or_default();
            let value = serde_json::to_value(&crd)
                .map_err(|e| Error::new(Exit::Other, "OutputFailed", e.to_string()))?;
            Ok((name, output::yaml(&value)?))
        })
        .collect()
}

/// All definitions as one file.
pub fn manifest() -> Result<String, Error> {
    let texts: Vec<String> = files()?.into_iter().map(|(_, text)| text).collect();
    Ok(texts.join("---\n"))
}

/// `crds install`; printing needs no hub and is done before one is looked for.
pub async fn run(args: &CrdsArgs, ctx: &mut Context) -> Result<Exit, Error> {
    match args.command {
        None => ctx.out.raw(&manifest()?)?,
        Some(CrdsCommand::Install) => {
            ctx.may_write().map_err(|e| e.tried("install the kinds"))?;
            for name in kinds::install(&ctx.client).await? {
                ctx.out.line(&format!("{name} is installed and served"))?;
            }
        }
    }
    Ok(Exit::Done)
}
