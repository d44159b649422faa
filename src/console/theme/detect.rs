//! Which theme, depth and glyphs a terminal gets, from what surrounds the program.

use std::path::Path;

use super::{Depth, Fault, GlyphSet, Glyphs, Theme, load};

/// What the environment and the command line say. Taken once at the start.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// `TERM`.
    pub term: String,
    /// `COLORTERM`.
    pub colorterm: String,
    /// `COLORFGBG`, which some terminals set to `fg;bg`.
    pub colorfgbg: String,
    /// The first of `LC_ALL`, `LC_CTYPE`, `LANG` that is set.
    pub locale: String,
    /// `NO_COLOR` is set and not empty, or `--no-color`.
    pub no_color: bool,
    /// Theme by name; `None` chooses.
    pub theme: Option<String>,
    /// Glyph set.
    pub glyphs: GlyphSet,
}

impl Surroundings {
    /// From the process's environment.
    pub fn of_process() -> Self {
        let var = |name: &str| std::env::var(name).unwrap_or_default();
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .map(var)
            .find(|v| !v.is_empty());
        Self {
            term: var("TERM"),
            colorterm: var("COLORTERM"),
            colorfgbg: var("COLORFGBG"),
            locale: locale.unwrap_or_default(),
            no_color: !var("NO_COLOR").is_empty(),
            theme: None,
            glyphs: GlyphSet::Auto,
        }
    }
}

/// What was chosen, and what was wrong in the user's files.
#[derive(Clone, Debug)]
pub struct Looks {
    /// Styles, in colours that the terminal has.
    pub theme: Theme,
    /// Signs.
    pub glyphs: Glyphs,
    /// To be shown as notices.
    pub faults: Vec<Fault>,
}

/// Chooses theme and glyphs; `dir` holds the user's themes.
pub fn looks(around: &Surroundings, dir: Option<&Path>) -> Looks {
    let colourless = around.no_color || around.term == "dumb";
    let name = match &around.theme {
        _ if colourless => "mono",
        Some(name) if name != "auto" => name,
        _ if light_background(&around.colorfgbg) => "light",
        _ => "dark",
    };
    let (theme, faults) = load(name, dir);
    Looks {
        theme: theme.at(Depth::found(&around.term, &around.colorterm)),
        glyphs: glyphs(around),
        faults,
    }
}

fn glyphs(around: &Surroundings) -> Glyphs {
    let ascii = match around.glyphs {
        GlyphSet::Unicode => false,
        GlyphSet::Ascii => true,
        GlyphSet::Auto => {
            matches!(around.term.as_str(), "linux" | "dumb") || !is_utf8(&around.locale)
        }
    };
    if ascii {
        Glyphs::ASCII
    } else {
        Glyphs::UNICODE
    }
}

/// A locale that says nothing (as on macOS in a bare environment, or in a container) is taken
/// for UTF-8; one that names another encoding, or is plain `C`, is not.
fn is_utf8(locale: &str) -> bool {
    let lower = locale.to_ascii_lowercase();
    let encoding = lower.split_once('.').map(|(_, e)| e);
    match encoding {
        Some(e) => e.starts_with("utf-8") || e.starts_with("utf8"),
        None => !matches!(lower.as_str(), "c" | "posix"),
    }
}

fn light_background(colorfgbg: &str) -> bool {
    matches!(colorfgbg.rsplit(';').next(), Some("7" | "15"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(term: &str, locale: &str) -> Surroundings {
        Surroundings {
            term: term.into(),
            locale: locale.into(),
            ..Surroundings::default()
        }
    }

    #[test]
    fn glyphs_follow_locale_and_terminal() {
        let ascii = |term, locale| glyphs(&around(term, locale)).ascii;
        assert!(!ascii("xterm", "en_US.UTF-8"));
        assert!(!ascii("xterm", ""));
        assert!(!ascii("xterm", "C.UTF-8"));
        assert!(ascii("xterm", "C"));
        assert!(ascii("xterm", "de_DE.ISO-8859-1"));
        assert!(ascii("linux", "en_US.UTF-8"));
        assert!(ascii("dumb", ""));
    }

    #[test]
    fn without_colour_the_theme_is_mono_whatever_was_asked() {
        let mut a = around("xterm-256color", "");
        a.theme = Some("light".into());
        assert_eq!(looks(&a, None).theme.name(), "light");
        a.no_color = true;
        assert_eq!(looks(&a, None).theme.name(), "mono");
        assert!(!looks(&around("dumb", ""), None).theme.has_colour());
    }

    #[test]
    fn a_light_background_gets_the_light_theme() {
        let mut a = around("xterm", "");
        a.colorfgbg = "0;15".into();
        assert_eq!(looks(&a, None).theme.name(), "light");
        a.colorfgbg = "15;0".into();
        assert_eq!(looks(&a, None).theme.name(), "dark");
    }
}
