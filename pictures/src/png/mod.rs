//! Conversion of SVG pictures into PNG, for programs without SVG.
//!
//! Texts use one font that is part of the program, so a picture is the same on every machine. The
//! font is DejaVu Sans Condensed, because its letters are about as wide as the SVG layouts assume.
//! The font contains only the characters of European alphabets and of formulas. This subset was
//! made with fontTools:
//!
//! ```text
//! pyftsubset DejaVuSansCondensed.ttf --no-hinting --layout-features=kern,mark,mkmk,ccmp,locl --unicodes=\
//! U+0020-007E,U+00A0-017F,U+0192,U+0218-021B,U+0300-036F,U+0370-03FF,U+0400-045F,U+0490-0491,U+1E80-1E85,\
//! U+2010-2027,U+2030-203A,U+2070-209C,U+20AC,U+2100-214F,U+2190-21FF,U+2200-22FF,U+2300-230F,U+25A0-25FF,\
//! U+2600-2606,U+2713-2718,U+27E8-27E9,U+FFFD
//! ```

use parikh_solvers::locked;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{FontResolver, Options, Tree};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

const FONT: &[u8] = include_bytes!("DejaVuSansCondensed.ttf");

/// The largest number of pixels. Larger pictures take a gigabyte to draw, and few programs display
/// them.
pub const MAX_PIXELS: f64 = 64e6;

/// The default scale, in output pixels per pixel of the picture. Letters stay readable on
/// high-resolution screens and on paper.
pub const SCALE: f64 = 2.0;

/// The requested size of a PNG picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PngSize {
    /// [`SCALE`], or less if the picture would be too large.
    Fitting,
    /// A scale in output pixels per pixel of the picture.
    Scale(f64),
    /// A width in pixels.
    Width(u32),
}

/// A PNG picture.
pub struct PngPicture {
    /// The contents of the file.
    pub bytes: Vec<u8>,
    /// The width and the height in pixels.
    pub pixels: (u32, u32),
    /// The scale in output pixels per pixel of the picture.
    pub scale: f64,
    /// Characters that the font lacks, and for which the picture has boxes. Of each text only the
    /// first such character is listed.
    pub missing: BTreeSet<char>,
}

/// A failure to draw a picture.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The picture would be too large.
    #[error(
        "{wide:.0} × {high:.0} pixels are too many for a PNG picture; use at most --scale \
         {largest}, or write SVG, which has no limit"
    )]
    TooLarge {
        /// The width in pixels.
        wide: f64,
        /// The height in pixels.
        high: f64,
        /// The largest possible scale, rounded down.
        largest: f64,
    },
    /// The library cannot read the SVG, or cannot draw or encode the picture.
    #[error("the picture could not be drawn: {0}")]
    Failed(String),
}

/// Draws an SVG picture that Parikh generated.
///
/// # Errors
/// The result would have more than [`MAX_PIXELS`] pixels, or the SVG cannot be drawn.
pub fn png(svg: &str, size: PngSize) -> Result<PngPicture, PngError> {
    draw_within(svg, size, MAX_PIXELS)
}

/// Draws an SVG picture. Returns an error if the picture would have more than `max_pixels` pixels,
/// apart from one row and one column by rounding. Also returns an error if the SVG cannot be drawn.
fn draw_within(svg: &str, size: PngSize, max_pixels: f64) -> Result<PngPicture, PngError> {
    let missing = Mutex::new(BTreeSet::new());
    let mut options = Options::default();
    options.fontdb_mut().load_font_data(FONT.to_vec());
    options.font_resolver = FontResolver {
        // The font database has only one font.
        select_font: Box::new(|_, fonts| fonts.faces().next().map(|face| face.id)),
        select_fallback: Box::new(|letter, _, _| {
            locked(&missing).insert(letter);
            None
        }),
    };
    let failed = |error: &dyn std::fmt::Display| PngError::Failed(error.to_string());
    let tree = Tree::from_str(svg, &options).map_err(|error| failed(&error))?;
    drop(options);
    let (width, height) = (f64::from(tree.size().width()), f64::from(tree.size().height()));
    let max_scale = (max_pixels / (width * height)).sqrt();
    let scale = match size {
        PngSize::Fitting => SCALE.min(max_scale),
        PngSize::Scale(scale) => scale,
        PngSize::Width(pixels) => f64::from(pixels) / width,
    };
    let (wide, high) = ((width * scale).round().max(1.0), (height * scale).round().max(1.0));
    // Rounding may add a row and a column to the largest possible size.
    if wide * high > max_pixels + wide + high {
        // Two decimals, or more for a small scale, so that it does not become 0.
        let decimals = (1.0 - max_scale.log10().floor()).max(2.0);
        let unit = 10f64.powf(decimals);
        return Err(PngError::TooLarge { wide, high, largest: (max_scale * unit).floor() / unit });
    }
    let pixels = (wide as u32, high as u32);
    let mut pixmap = Pixmap::new(pixels.0, pixels.1)
        .ok_or_else(|| failed(&format_args!("{wide} × {high} pixels")))?;
    let (scale_x, scale_y) = (wide / width, high / height);
    resvg::render(
        &tree,
        Transform::from_scale(scale_x as f32, scale_y as f32),
        &mut pixmap.as_mut(),
    );
    let bytes = pixmap.encode_png().map_err(|error| failed(&error))?;
    let missing = missing.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(PngPicture { bytes, pixels, scale, missing })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_scale_of_an_enormous_picture_is_not_0() {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900000\" height=\"900000\"/>";
        let largest = |max_pixels| match draw_within(svg, PngSize::Scale(1.0), max_pixels) {
            Err(PngError::TooLarge { largest, .. }) => largest.to_string(),
            _ => panic!("not too large"),
        };
        assert_eq!(largest(64e6), "0.0088");
        assert_eq!(largest(64e10), "0.88");
    }

    fn picture(inside: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\" viewBox=\"0 0 40 20\" \
             font-family=\"Helvetica, Arial, sans-serif\" font-size=\"10\">\
             <style>.page{{fill:#fff}}.red .it{{fill:#f00}}</style>\
             <rect class=\"page\" width=\"100%\" height=\"100%\"/>{inside}</svg>"
        )
    }

    fn drawn(inside: &str, size: PngSize) -> (Pixmap, PngPicture) {
        let png = png(&picture(inside), size).unwrap();
        let pixels = Pixmap::decode_png(&png.bytes).unwrap();
        assert_eq!((pixels.width(), pixels.height()), png.pixels);
        (pixels, png)
    }

    fn dark(pixels: &Pixmap) -> usize {
        pixels.pixels().iter().filter(|pixel| pixel.green() < 128).count()
    }

    #[test]
    fn forms_have_their_colours_and_sizes() {
        let red = "<g class=\"red\"><rect class=\"it\" width=\"20\" height=\"20\"/></g>";
        for (size, across) in
            [(PngSize::Scale(1.0), 40), (PngSize::Fitting, 80), (PngSize::Width(120), 120)]
        {
            let (pixels, png) = drawn(red, size);
            assert_eq!(png.pixels, (across, across / 2));
            let at = |x| pixels.pixel(x, 0).unwrap();
            assert_eq!((at(0).red(), at(0).green()), (255, 0));
            assert_eq!((at(across - 1).red(), at(across - 1).green()), (255, 255));
            assert_eq!(dark(&pixels), (across * across / 4) as usize);
        }
    }

    #[test]
    fn letters_are_drawn_without_installed_fonts() {
        let (tokens, png) = drawn("<text x=\"2\" y=\"14\">●●</text>", PngSize::Scale(4.0));
        assert!(dark(&tokens) > 300 && png.missing.is_empty(), "{}", dark(&tokens));
        let (name, png) = drawn("<text x=\"2\" y=\"14\">wäit·∞→×</text>", PngSize::Scale(4.0));
        assert!(dark(&name) > 300 && png.missing.is_empty(), "{:?}", png.missing);
        let foreign = "<text x=\"2\" y=\"14\">a等</text><text x=\"9\" y=\"14\">待b</text>";
        let (_, png) = drawn(foreign, PngSize::Scale(4.0));
        assert_eq!(png.missing.into_iter().collect::<String>(), "待等");
    }

    #[test]
    fn a_picture_too_large_is_refused_or_made_to_fit() {
        let large = picture("").replace("\"40\"", "\"40000\"").replace("\"20\"", "\"20000\"");
        let error = png(&large, PngSize::Scale(1.0)).err().unwrap().to_string();
        assert!(error.starts_with("40000 × 20000 pixels are too many"), "{error}");
        assert!(error.contains("use at most --scale 0.28"), "{error}");
        let fitting = draw_within(&large, PngSize::Fitting, 2e6).unwrap();
        assert_eq!(fitting.pixels, (2000, 1000));
    }
}
