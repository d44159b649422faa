//! Contrast of two colours, as the Web Content Accessibility Guidelines compute it.

use ratatui::style::Color;

use super::depth::rgb;

/// Contrast ratio from 1 to 21; `None` where a colour is the terminal's own and so not known.
pub fn ratio(a: Color, b: Color) -> Option<f64> {
    let (a, b) = (luminance(a)?, luminance(b)?);
    let (light, dark) = if a > b { (a, b) } else { (b, a) };
    Some((light + 0.05) / (dark + 0.05))
}

fn luminance(color: Color) -> Option<f64> {
    let (r, g, b) = rgb(color)?;
    let linear = |v: u8| {
        let v = f64::from(v) / 255.0;
        if v <= 0.04045 {
            v / 12.92
        } else {
            ((v + 0.055) / 1.055).powf(2.4)
        }
    };
    Some(0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b))
}

#[cfg(test)]
mod tests {
    use super::super::{NAMES, Role, Theme, shipped};
    use super::*;

    #[test]
    fn black_on_white_is_21() {
        let r = ratio(Color::Rgb(0, 0, 0), Color::Rgb(255, 255, 255)).unwrap();
        assert!((r - 21.0).abs() < 0.01);
        assert_eq!(ratio(Color::Reset, Color::Rgb(0, 0, 0)), None);
    }

    fn check(theme: &Theme, text: f64, line: f64) {
        let background = theme.style(Role::Bg).bg.unwrap();
        let selection = theme.style(Role::Select).bg.unwrap();
        for role in Role::ALL
            .iter()
            .copied()
            .filter(|r| !matches!(r, Role::Bg | Role::Select))
        {
            let style = theme.style(role);
            let fg = style
                .fg
                .unwrap_or_else(|| panic!("{} has no colour", role.name()));
            let grounds = match style.bg {
                Some(own) => vec![own],
                None => vec![background, selection],
            };
            let least = if role.is_text() { text } else { line };
            for ground in grounds {
                if !role.is_text() && ground == selection {
                    continue;
                }
                let r = ratio(fg, ground).unwrap();
                assert!(
                    r >= least,
                    "{}: {} on {ground:?} has {r:.2}, needs {least}",
                    theme.name(),
                    role.name()
                );
            }
        }
    }

    #[test]
    fn every_shipped_theme_can_be_read() {
        for name in NAMES {
            let theme = shipped(name).unwrap();
            match *name {
                "mono" => assert!(!theme.has_colour()),
                "high-contrast" => check(&theme, 7.0, 4.5),
                _ => check(&theme, 4.5, 3.0),
            }
        }
    }

    #[test]
    fn done_and_failed_differ_in_lightness_too() {
        for name in NAMES.iter().filter(|n| **n != "mono") {
            let theme = shipped(name).unwrap();
            let (done, failed) = (theme.style(Role::Done).fg, theme.style(Role::Failed).fg);
            let r = ratio(done.unwrap(), failed.unwrap()).unwrap();
            assert!(r > 1.05, "{name}: {r}");
        }
    }
}
