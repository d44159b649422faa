//! From a hub that was found to a client that speaks with it.

use std::time::Duration;

use kube::Client;
use kube::config::{Config, ExecInteractiveMode, KubeConfigOptions};

use super::address::Address;
use super::error::{Class, Error, chain};
use super::secret;
use super::target::{Found, Source};

/// How long a hub may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Whether a sign-in helper may ask the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// On the standard streams: the command line.
    Allowed,
    /// No: a screen is drawn there.
    Never,
}

/// A client for a hub, and how people call the hub and us.
#[derive(Clone)]
pub struct Access {
    /// Speaks with the hub.
    pub client: Client,
    /// Name of the hub.
    pub name: String,
    /// Who we are, before the hub says it.
    pub user: String,
}

impl Found {
    /// Makes the client. Runs the sign-in helper if there is one, but asks the hub nothing yet.
    pub async fn connect(&self, prompt: Prompt) -> Result<Access, Error> {
        let tried = format!("Connecting to {}", self.name);
        let failed = |reason: String| {
            Error::new(
                Class::Config,
                tried.clone(),
                reason,
                "Check --kubeconfig and --context",
            )
        };
        let mut config = match &self.access {
            Source::Context(kubeconfig) => {
                let options = KubeConfigOptions {
                    context: Some(self.name.clone()),
                    ..KubeConfigOptions::default()
                };
                let config = Config::from_custom_kubeconfig(*kubeconfig.clone(), &options).await;
                config.map_err(|e| failed(secret::of_kubeconfig(&e)))?
            }
            Source::Cluster => Config::incluster().map_err(|e| failed(chain(&e)))?,
            Source::Address(server) => Config::new(server.uri()),
        };
        if let Some(server) = &self.server {
            config.cluster_url = server.uri();
        }
        let url = config.cluster_url.clone();
        Address::of(url).map_err(|hint| {
            failed(format!("{} is no address of a server", config.cluster_url)).hint(hint)
        })?;
        config.connect_timeout = Some(CONNECT);
        // On a loopback connection packing costs the hub more time than sending does.
        if matches!(
            config.cluster_url.host(),
            Some("127.0.0.1" | "localhost" | "[::1]")
        ) {
            config.disable_compression = true;
        }
        if let Some(user) = &self.impersonate {
            config.auth_info.impersonate = Some(user.clone());
        }
        if let (Prompt::Never, Some(exec)) = (prompt, &mut config.auth_info.exec) {
            exec.interactive_mode = Some(ExecInteractiveMode::Never);
        }
        let client = Client::try_from(config).map_err(|e| Error::of(&e, tried))?;
        Ok(Access {
            client,
            name: self.name.clone(),
            user: self.user.clone(),
        })
    }
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access")
            .field("name", &self.name)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}
