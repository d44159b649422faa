//! What is said of texts that hold secrets: where they are wrong, never what stands there.
//!
//! The libraries that read them quote the lines around a mistake, tokens and keys among them.

use kube::client::AuthError;
use kube::config::KubeconfigError;

use super::error::chain;

/// `line 3, column 7`.
fn place(error: &serde_saphyr::Error) -> String {
    match error.location() {
        Some(at) => format!("line {}, column {}", at.line(), at.column()),
        None => "its end".to_owned(),
    }
}

/// Why a kubeconfig cannot be used.
pub(super) fn of_kubeconfig(error: &KubeconfigError) -> String {
    match error {
        KubeconfigError::Parse(error) => format!("is no kubeconfig: wrong at {}", place(error)),
        KubeconfigError::ReadConfig(error, _) => error.to_string(),
        other => chain(other),
    }
}

/// Why a sign-in failed. What a helper printed for people is theirs to read; its answer, its
/// arguments and its environment are not.
pub(super) fn of_sign_in(error: &AuthError) -> String {
    match error {
        AuthError::AuthExecRun { out, .. } => {
            let said = String::from_utf8_lossy(&out.stderr);
            let said = said.trim();
            let mut text = format!("the sign-in helper failed ({})", out.status);
            if !said.is_empty() {
                text.push_str(&format!(": {said}"));
            }
            text
        }
        AuthError::AuthExecParse(error) => format!(
            "the answer of the sign-in helper is wrong at {}",
            place(error)
        ),
        AuthError::ParseTokenKey(_) => "the answer of the sign-in helper is no JSON".to_owned(),
        other => chain(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn neither_the_answer_of_a_helper_nor_its_words_are_told() {
        let wrong = serde_saphyr::from_str::<Vec<u8>>("status: {token: SECRET").unwrap_err();
        let told = of_sign_in(&AuthError::AuthExecParse(Box::new(wrong)));
        assert!(told.contains("line 1"), "{told}");
        assert!(!told.contains("SECRET"), "{told}");
        let out = std::process::Output {
            status: std::process::ExitStatus::from_raw(256),
            stdout: b"SECRET".to_vec(),
            stderr: b"please run az login\n".to_vec(),
        };
        let told = of_sign_in(&AuthError::AuthExecRun {
            cmd: "PASSWORD=SECRET helper".to_owned(),
            out: Box::new(out),
        });
        assert_eq!(
            told,
            "the sign-in helper failed (exit status: 1): please run az login"
        );
    }
}
