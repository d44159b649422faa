//! From the global options to a hub that can be spoken with.

use super::args::Global;
use super::error::Error;
use super::exit::Exit;
use crate::hub::{self, Access, Class, Prompt, Target};

impl From<hub::Error> for Error {
    fn from(error: hub::Error) -> Self {
        let (exit, code) = match error.class {
            Class::NoCluster => (Exit::NotReached, "NoCluster"),
            Class::Config => (Exit::Usage, "InvalidKubeconfig"),
            Class::Unauthenticated => (Exit::Denied, "Unauthorized"),
            Class::Denied => (Exit::Denied, "Forbidden"),
            Class::Unreachable => (Exit::NotReached, "HubUnreachable"),
            Class::KindsMissing => (Exit::Other, "KindsMissing"),
            Class::NotFound => (Exit::Other, "NotFound"),
            Class::Conflict => (Exit::Other, "Conflict"),
            Class::Expired => (Exit::Other, "Expired"),
            Class::Invalid => (Exit::Other, "Invalid"),
            Class::Throttled => (Exit::Other, "Throttled"),
            Class::Other => (Exit::Other, "HubError"),
        };
        Error::new(exit, code, error.reason)
            .tried(error.tried)
            .hint(error.hint)
    }
}

/// Which hub is meant, by kubeconfig.
pub fn target(global: &Global) -> Target {
    Target {
        kubeconfig: global.kubeconfig.clone(),
        context: global.context.clone(),
        server: global.hub.clone(),
        impersonate: global.as_user.clone(),
    }
}

/// A client for the hub of a kubeconfig.
pub async fn remote(global: &Global) -> Result<Access, Error> {
    let found = target(global).find()?;
    Ok(found.connect(Prompt::Allowed).await?)
}

/// Who acts, for what is written down: `--as`, else the person at this machine, else who the
/// kubeconfig says.
pub fn person(global: &Global, by_kubeconfig: &str) -> Option<String> {
    let of_machine = || {
        ["USER", "LOGNAME", "USERNAME"]
            .into_iter()
            .find_map(|v| std::env::var(v).ok())
    };
    global
        .as_user
        .clone()
        .or_else(of_machine)
        .or_else(|| Some(by_kubeconfig.to_owned()))
        .filter(|name| !name.is_empty())
}
