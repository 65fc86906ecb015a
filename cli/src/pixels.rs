//! PNG output of `draw` and `graph`.

use super::terminal::note;
use super::{UsageError, signals};
use anyhow::{Context, Result, bail};
use parikh_pictures::png::{self, PngSize};
use std::path::Path;

#[derive(clap::Args)]
pub(super) struct PixelOptions {
    /// For PNG: the scale, in output pixels per pixel of the picture. By default 2, or less if the
    /// picture is too large.
    #[arg(long, value_name = "N", value_parser = scale, conflicts_with = "width")]
    scale: Option<f64>,
    /// For PNG: the width in pixels.
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(1..))]
    width: Option<u32>,
}

/// Returns the extension of a file name in small letters. Returns `None` without an extension, or
/// if the extension is not UTF-8.
pub(super) fn extension(file: &Path) -> Option<String> {
    file.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase)
}

fn scale(text: &str) -> Result<f64, String> {
    let scale = text.parse().ok().filter(|scale: &f64| scale.is_finite() && *scale > 0.0);
    scale.ok_or_else(|| "expected a number above 0, such as 2 or 0.5".to_owned())
}

impl PixelOptions {
    /// Returns true if an option sets the size.
    pub(super) fn sets_size(&self) -> bool {
        self.scale.is_some() || self.width.is_some()
    }

    pub(super) fn size(&self) -> PngSize {
        match (self.scale, self.width) {
            (Some(scale), _) => PngSize::Scale(scale),
            (_, Some(width)) => PngSize::Width(width),
            _ => PngSize::Fitting,
        }
    }
}

/// Converts an SVG picture to PNG and writes it to a file. Reports on stderr if the default scale
/// was reduced to keep the size limit, and if the font lacks characters of the picture.
pub(super) fn write(file: &Path, svg: &str, size: PngSize) -> Result<()> {
    let result = png::png(svg, size);
    // From here on, the deadline does not end the process, so the file is written completely.
    signals::stay();
    let picture = match result {
        Ok(picture) => picture,
        Err(error) => bail!(UsageError(format!("{}: {error}", file.display()))),
    };
    if size == PngSize::Fitting && picture.scale < png::SCALE {
        let (wide, high) = picture.pixels;
        note!(
            "parikh: {}: the picture has {wide} × {high} pixels, with a scale of {:.2} instead of \
             {} because of the size limit; an SVG picture has no such limit",
            file.display(),
            picture.scale,
            png::SCALE
        );
    }
    if !picture.missing.is_empty() {
        let missing_letters: Vec<String> =
            picture.missing.iter().take(5).map(char::to_string).collect();
        note!(
            "parikh: {}: the font of PNG pictures lacks some characters, which are omitted: {}; an \
             SVG picture has them",
            file.display(),
            missing_letters.join(" ")
        );
    }
    std::fs::write(file, picture.bytes).with_context(|| format!("cannot write {}", file.display()))
}
