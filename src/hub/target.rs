//! Which hub is meant: a context of a kubeconfig, or the cluster that we run in.

use std::path::PathBuf;

use kube::config::Kubeconfig;

use super::address::Address;
use super::error::{Class, Error};
use super::kubeconfig;

/// What the person asked for.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// `--kubeconfig`; otherwise `KUBECONFIG`, then `~/.kube/config`.
    pub kubeconfig: Option<PathBuf>,
    /// `--context`; otherwise the current one.
    pub context: Option<String>,
    /// `--hub`: address of the API server, instead of the context's.
    pub server: Option<Address>,
    /// `--as`.
    pub impersonate: Option<String>,
}

/// A hub that has been found, not yet spoken with.
#[derive(Clone, Debug)]
pub struct Found {
    /// Name of the context; `in-cluster`, or the host, where there is none.
    pub name: String,
    /// Who we are by the kubeconfig (or by `--as`); the hub may know better.
    pub user: String,
    /// Command line of the sign-in helper, if there is one.
    pub helper: Option<String>,
    pub(super) access: Source,
    pub(super) server: Option<Address>,
    pub(super) impersonate: Option<String>,
}

/// Where address and credentials come from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// A context of these kubeconfigs.
    Context(Box<Kubeconfig>),
    /// The cluster that we run in.
    Cluster,
    /// An address alone: a proxy signs in, or nobody must.
    Address(Address),
}

impl Target {
    /// Reads the kubeconfig. Speaks with nobody.
    pub fn find(&self) -> Result<Found, Error> {
        let Some(kubeconfig) = self.read()? else {
            return self.no_context();
        };
        let tried = "Reading the kubeconfig";
        let config_error =
            |reason: String| Error::new(Class::Config, tried, reason, contexts(&kubeconfig));
        let context = self
            .context
            .clone()
            .or_else(|| kubeconfig.current_context.clone());
        let context = match context.filter(|c| !c.is_empty()) {
            Some(context) => context,
            None if kubeconfig.contexts.is_empty() => return self.no_context(),
            None => return Err(config_error("no context is current".to_owned())),
        };
        let named = kubeconfig.contexts.iter().find(|c| c.name == context);
        let Some(named) = named else {
            return Err(config_error(format!("there is no context \"{context}\"")));
        };
        let user = named
            .context
            .as_ref()
            .and_then(|c| c.user.clone())
            .unwrap_or_default();
        let helper = kubeconfig
            .auth_infos
            .iter()
            .find(|a| a.name == user)
            .and_then(|a| a.auth_info.as_ref()?.exec.as_ref())
            .map(command_line);
        Ok(Found {
            user: self.impersonate.clone().unwrap_or(user),
            helper,
            name: context,
            access: Source::Context(Box::new(kubeconfig)),
            server: self.server.clone(),
            impersonate: self.impersonate.clone(),
        })
    }

    fn read(&self) -> Result<Option<Kubeconfig>, Error> {
        let tried = "Reading the kubeconfig";
        let failed = |hint: &'static str| {
            move |reason: String| Error::new(Class::Config, tried, reason, hint)
        };
        if let Some(path) = &self.kubeconfig {
            let read = kubeconfig::read(path).map(Some);
            return read.map_err(failed("Check --kubeconfig"));
        }
        let found = kubeconfig::from_env().map_err(failed("Check $KUBECONFIG"))?;
        if let Some(found) = found {
            return Ok(Some(found));
        }
        let Some(path) = home().map(|h| h.join(".kube").join("config")) else {
            return Ok(None);
        };
        if !path.exists() {
            return Ok(None);
        }
        let read = kubeconfig::read(&path).map(Some);
        read.map_err(failed("Mend it, or name another with --kubeconfig"))
    }

    /// Inside a pod the cluster itself is meant, unless a context was asked for. An address is
    /// enough to try.
    fn no_context(&self) -> Result<Found, Error> {
        let inside = std::env::var_os("KUBERNETES_SERVICE_HOST").is_some();
        let access = match (&self.context, &self.server) {
            (None, _) if inside => Some(("in-cluster".to_owned(), Source::Cluster)),
            (None, Some(server)) => Some((server.host(), Source::Address(server.clone()))),
            _ => None,
        };
        if let Some((name, access)) = access {
            return Ok(Found {
                name,
                user: self.impersonate.clone().unwrap_or_default(),
                helper: None,
                access,
                server: self.server.clone(),
                impersonate: self.impersonate.clone(),
            });
        }
        if let (Some(context), Some(server)) = (&self.context, &self.server) {
            return Err(Error::new(
                Class::Config,
                format!("Looking for the context of {server}"),
                format!("there is no kubeconfig that has a context \"{context}\""),
                "Name the file with --kubeconfig, or leave out --context",
            ));
        }
        Err(Error::new(
            Class::NoCluster,
            "Looking for a hub",
            "there is no kubeconfig, or it names no cluster",
            "Name one with --kubeconfig and --context, or try `fleetdeck demo`: it needs no cluster",
        ))
    }
}

fn contexts(kubeconfig: &Kubeconfig) -> String {
    let names: Vec<_> = kubeconfig
        .contexts
        .iter()
        .map(|c| c.name.as_str())
        .collect();
    format!("Choose one with --context: {}", names.join(", "))
}

/// The helper's words, so that a person can run it; secrets among them are hidden.
fn command_line(exec: &kube::config::ExecConfig) -> String {
    let mut told: Vec<String> = exec.command.iter().cloned().collect();
    let mut hide = false;
    for word in exec.args.iter().flatten() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), None),
        };
        let secret = name.starts_with('-')
            && ["secret", "password", "token"]
                .iter()
                .any(|s| name.to_lowercase().contains(s));
        told.push(match value {
            _ if hide && !name.starts_with('-') => "***".to_owned(),
            Some(_) if secret => format!("{name}=***"),
            _ => word.clone(),
        });
        hide = secret && value.is_none();
    }
    told.join(" ")
}

fn home() -> Option<PathBuf> {
    directories::BaseDirs::new().map(|d| d.home_dir().to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "apiVersion: v1\nkind: Config\ncurrent-context: eu\nclusters:\n\
        - {name: c, cluster: {server: 'https://127.0.0.1:1'}}\ncontexts:\n\
        - {name: eu, context: {cluster: c, user: ana}}\n- {name: us, context: {cluster: c, user: kim}}\nusers:\n\
        - {name: ana, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: kubelogin, args: [get-token, --login, azurecli]}}}\n";

    #[test]
    fn an_address_needs_no_kubeconfig() {
        let empty = "apiVersion: v1\nkind: Config\n";
        let found = of(empty, None, Some("http://127.0.0.1:8001")).unwrap();
        assert_eq!(found.name, "127.0.0.1:8001");
        let error = of(empty, Some("eu"), Some("http://127.0.0.1:8001")).unwrap_err();
        assert_eq!(error.class, Class::Config);
        assert!(!error.hint.contains("demo"), "{error:?}");
    }

    fn find(text: &str, context: Option<&str>) -> Result<Found, Error> {
        of(text, context, None)
    }

    fn of(text: &str, context: Option<&str>, server: Option<&str>) -> Result<Found, Error> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config");
        std::fs::write(&path, text).unwrap();
        let target = Target {
            kubeconfig: Some(path),
            context: context.map(str::to_owned),
            server: server.map(|s| s.parse().unwrap()),
            impersonate: None,
        };
        target.find()
    }

    #[test]
    fn the_current_context_is_taken_unless_another_is_named() {
        let found = find(TEXT, None).unwrap();
        assert_eq!((found.name.as_str(), found.user.as_str()), ("eu", "ana"));
        assert_eq!(
            found.helper.as_deref(),
            Some("kubelogin get-token --login azurecli")
        );
        assert_eq!(find(TEXT, Some("us")).unwrap().user, "kim");
    }

    #[test]
    fn secrets_of_a_helper_are_not_told() {
        let words = "get-token, --client-secret, S1, --password=S2, --login, spn";
        let text = TEXT.replace("get-token, --login, azurecli", words);
        assert_eq!(
            find(&text, None).unwrap().helper.as_deref(),
            Some("kubelogin get-token --client-secret *** --password=*** --login spn")
        );
    }

    #[test]
    fn a_wrong_context_is_refused_with_the_right_ones() {
        let error = find(TEXT, Some("fr")).unwrap_err();
        assert_eq!(error.class, Class::Config);
        assert!(error.hint.contains("eu, us"), "{error:?}");
    }

    #[test]
    fn an_empty_kubeconfig_is_no_cluster() {
        let error = find("apiVersion: v1\nkind: Config\n", None).unwrap_err();
        assert_eq!(error.class, Class::NoCluster);
        assert!(error.hint.contains("fleetdeck demo"));
    }

    #[test]
    fn a_file_that_is_none_is_named() {
        let error = find("{", None).unwrap_err();
        assert_eq!(error.class, Class::Config);
    }
}
