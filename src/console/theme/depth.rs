//! How many colours the terminal has, and the nearest of them to a given one.

use ratatui::style::Color;

/// Colours that a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// 24 bits.
    True,
    /// The 256 of xterm.
    Indexed,
    /// The user's own 16.
    Ansi,
}

/// Levels of the 6x6x6 cube of the 256 colours.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// What the 16 colours look like by default; users change them, so this is only a guess.
const ANSI: [(Color, (u8, u8, u8)); 16] = [
    (Color::Black, (0, 0, 0)),
    (Color::Red, (205, 0, 0)),
    (Color::Green, (0, 205, 0)),
    (Color::Yellow, (205, 205, 0)),
    (Color::Blue, (0, 0, 238)),
    (Color::Magenta, (205, 0, 205)),
    (Color::Cyan, (0, 205, 205)),
    (Color::Gray, (229, 229, 229)),
    (Color::DarkGray, (127, 127, 127)),
    (Color::LightRed, (255, 0, 0)),
    (Color::LightGreen, (0, 255, 0)),
    (Color::LightYellow, (255, 255, 0)),
    (Color::LightBlue, (92, 92, 255)),
    (Color::LightMagenta, (255, 0, 255)),
    (Color::LightCyan, (0, 255, 255)),
    (Color::White, (255, 255, 255)),
];

impl Depth {
    /// From the environment: `COLORTERM`, `TERM`.
    pub fn found(term: &str, colorterm: &str) -> Depth {
        if matches!(colorterm, "truecolor" | "24bit") || term.contains("direct") {
            Depth::True
        } else if term.contains("256") {
            Depth::Indexed
        } else {
            Depth::Ansi
        }
    }

    /// The nearest colour that such a terminal has.
    pub fn nearest(self, color: Color) -> Color {
        let Color::Rgb(r, g, b) = color else {
            return color;
        };
        match self {
            Depth::True => color,
            Depth::Indexed => Color::Indexed(indexed(r, g, b)),
            Depth::Ansi => ANSI
                .iter()
                .min_by_key(|(_, rgb)| distance(*rgb, (r, g, b)))
                .map_or(Color::Reset, |(c, _)| *c),
        }
    }
}

fn distance(a: (u8, u8, u8), b: (u8, u8, u8)) -> u32 {
    let d = |x: u8, y: u8| u32::from(x.abs_diff(y)).pow(2);
    // The eye weighs green most, blue least.
    3 * d(a.0, b.0) + 6 * d(a.1, b.1) + d(a.2, b.2)
}

fn indexed(r: u8, g: u8, b: u8) -> u8 {
    let level = |v: u8| {
        (0u8..6)
            .zip(LEVELS)
            .min_by_key(|(_, l)| l.abs_diff(v))
            .unwrap_or((0, 0))
    };
    let ((ri, rl), (gi, gl), (bi, bl)) = (level(r), level(g), level(b));
    let mean = ((u16::from(r) + u16::from(g) + u16::from(b)) / 3) as u8;
    let step = (mean.saturating_sub(3) / 10).min(23);
    let grey = 8 + 10 * step;
    if distance((grey, grey, grey), (r, g, b)) < distance((rl, gl, bl), (r, g, b)) {
        232 + step
    } else {
        16 + 36 * ri + 6 * gi + bi
    }
}

/// Red, green and blue of a colour, as far as it is known.
pub(super) fn rgb(color: Color) -> Option<(u8, u8, u8)> {
    match color {
        Color::Rgb(r, g, b) => Some((r, g, b)),
        Color::Indexed(i) if i >= 232 => {
            let v = 8 + 10 * (i - 232);
            Some((v, v, v))
        }
        Color::Indexed(i) if i >= 16 => {
            let i = i - 16;
            let at = |n: u8| LEVELS.get(usize::from(n)).copied();
            Some((at(i / 36)?, at(i / 6 % 6)?, at(i % 6)?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_of_256_is_near() {
        for color in [
            (0x11, 0x15, 0x1a),
            (0xd8, 0xde, 0xe6),
            (0xff, 0x8a, 0x65),
            (0, 0, 0),
        ] {
            let near = Depth::Indexed.nearest(Color::Rgb(color.0, color.1, color.2));
            let (r, g, b) = rgb(near).unwrap();
            for (a, b) in [(r, color.0), (g, color.1), (b, color.2)] {
                assert!(a.abs_diff(b) <= 26, "{color:?} became {near:?}");
            }
        }
    }

    #[test]
    fn depth_comes_from_the_environment() {
        assert_eq!(Depth::found("xterm-256color", "truecolor"), Depth::True);
        assert_eq!(Depth::found("xterm-256color", ""), Depth::Indexed);
        assert_eq!(Depth::found("linux", ""), Depth::Ansi);
    }
}
