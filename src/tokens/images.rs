//! What a picture costs, by the providers' published rules, from its size in pixels.

/// How many tokens a picture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageRule {
    /// Patches of 28 pixels, one token each, after shrinking to `edge` pixels and `most` tokens (Anthropic, "Vision":
    /// Evaluate image size; before 2026 the same page said width × height / 750, which is within 5 % of it).
    Patches28 {
        /// The longest edge that is not shrunk.
        edge: u32,
        /// The most tokens of one picture.
        most: u32,
    },
    /// Tiles of 512 pixels after fitting into 2048 × 2048 and shrinking the short edge to 768 (OpenAI, "Images and
    /// vision": Calculating costs).
    Tiles512 {
        /// Tokens of any picture.
        base: u32,
        /// Tokens of each tile.
        tile: u32,
    },
    /// Patches of 32 pixels, at most `budget` of them, times a factor (OpenAI, "Images and
    /// vision": Calculating costs; for GPT-5 mini and nano the factors that are billed, which differ from the page's).
    Patches32 {
        /// The most patches of one picture.
        budget: u32,
        /// Tokens of 100 patches.
        percent: u32,
    },
    /// 258 tokens up to 384 × 384, else for each tile of two thirds of the short edge, 256 to 768 pixels (Google,
    /// "Image understanding": Token calculation).
    Tiles768,
    /// The same for every picture (Google, "Media resolution": 1,120 for Gemini 3's default).
    Flat(
        /// Tokens of any picture.
        u32,
    ),
    /// The same for every picture, where the provider publishes no rule: an estimate.
    Guess(
        /// Tokens of any picture.
        u32,
    ),
}

/// What a picture of unknown size is taken to be: a screenshot.
pub const USUAL_PIXELS: (u32, u32) = (1280, 800);

/// The rules by the names that the table of models uses, with a number that stays the same between versions.
pub const IMAGE_RULES: &[(&str, u8, ImageRule)] = &[
    ("claude", 1, ImageRule::Patches28 { edge: 1568, most: 1568 }),
    ("claude_high", 2, ImageRule::Patches28 { edge: 2576, most: 4784 }),
    ("openai_tiles_85_170", 3, ImageRule::Tiles512 { base: 85, tile: 170 }),
    ("openai_tiles_75_150", 4, ImageRule::Tiles512 { base: 75, tile: 150 }),
    ("openai_tiles_70_140", 5, ImageRule::Tiles512 { base: 70, tile: 140 }),
    ("openai_tiles_2833_5667", 6, ImageRule::Tiles512 { base: 2833, tile: 5667 }),
    ("openai_patches_162", 7, ImageRule::Patches32 { budget: 1536, percent: 162 }),
    ("openai_patches_172", 8, ImageRule::Patches32 { budget: 1536, percent: 172 }),
    ("openai_patches_246", 9, ImageRule::Patches32 { budget: 1536, percent: 246 }),
    ("openai_patches_120", 10, ImageRule::Patches32 { budget: 1536, percent: 120 }),
    ("openai_patches_150", 11, ImageRule::Patches32 { budget: 1536, percent: 150 }),
    ("openai_patches_2500", 12, ImageRule::Patches32 { budget: 2500, percent: 120 }),
    ("openai_patches_10000", 13, ImageRule::Patches32 { budget: 10_000, percent: 120 }),
    ("gemini_tiles", 14, ImageRule::Tiles768),
    ("gemini_1120", 15, ImageRule::Flat(1120)),
    ("unknown", 16, ImageRule::Guess(1000)),
    ("openai_tiles_65_129", 17, ImageRule::Tiles512 { base: 65, tile: 129 }),
];

impl ImageRule {
    /// The rule of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<ImageRule> {
        IMAGE_RULES.iter().find(|(known, ..)| *known == name).map(|(.., rule)| *rule)
    }

    /// A number that stays the same between versions; 0 for a rule that is in no table.
    #[must_use]
    pub fn code(self) -> u8 {
        IMAGE_RULES.iter().find(|(.., rule)| *rule == self).map_or(0, |(_, code, _)| *code)
    }

    /// Its name in the table of models; none for a rule that is in no table.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        IMAGE_RULES.iter().find(|(.., rule)| *rule == self).map(|(name, ..)| *name)
    }

    /// Whether a provider publishes it.
    #[must_use]
    pub fn is_published(self) -> bool {
        !matches!(self, ImageRule::Guess(_))
    }

    /// Tokens of a picture that is looked at in low detail: without its tiles, or shrunk to 512 × 512 pixels (OpenAI,
    /// "Images and vision": Specify image input detail level). Where a provider knows no such thing, as else.
    #[must_use]
    pub fn low(self, (width, height): (u32, u32)) -> u64 {
        match self {
            ImageRule::Tiles512 { base, .. } => u64::from(base),
            ImageRule::Patches32 { .. } => {
                let long = width.max(height).max(512);
                let fit = |edge: u32| u32::try_from(u64::from(edge) * 512 / u64::from(long)).unwrap_or(1).max(1);
                self.tokens((fit(width), fit(height)))
            }
            _ => self.tokens((width, height)),
        }
    }

    /// Tokens of a picture of that width and height in pixels, with the detail that is the default.
    #[must_use]
    pub fn tokens(self, (width, height): (u32, u32)) -> u64 {
        let (width, height) = (width.clamp(1, 1 << 20), height.clamp(1, 1 << 20));
        match self {
            ImageRule::Patches28 { edge, most } => patches_28(width, height, edge, u64::from(most)),
            ImageRule::Tiles512 { base, tile } => tiles_512(width, height, u64::from(base), u64::from(tile)),
            ImageRule::Patches32 { budget, percent } => {
                (patches_32(f64::from(width), f64::from(height), u64::from(budget)) * u64::from(percent)).div_ceil(100)
            }
            ImageRule::Tiles768 => tiles_768(width, height),
            ImageRule::Flat(tokens) | ImageRule::Guess(tokens) => u64::from(tokens),
        }
    }
}

fn patches_28(width: u32, height: u32, edge: u32, most: u64) -> u64 {
    let (long, short) = (u64::from(width.max(height)), u64::from(width.min(height)));
    let cost = |to: u64| to.div_ceil(28) * (short * to / long).max(1).div_ceil(28);
    // The largest long edge that fits, by halving: the cost never falls as the edge grows.
    let (mut fits, mut too_large) = (1, long.min(u64::from(edge)) + 1);
    while too_large - fits > 1 {
        let middle = u64::midpoint(fits, too_large);
        if cost(middle) <= most {
            fits = middle;
        } else {
            too_large = middle;
        }
    }
    cost(fits)
}

fn tiles_512(width: u32, height: u32, base: u64, tile: u64) -> u64 {
    let (long, short) = (f64::from(width.max(height)), f64::from(width.min(height)));
    let fit = (2048.0 / long).min(1.0);
    let fit = fit * (768.0 / (short * fit)).min(1.0);
    base + tile * ceil(long * fit / 512.0) * ceil(short * fit / 512.0)
}

fn patches_32(width: f64, height: f64, budget: u64) -> u64 {
    let whole = ceil(width / 32.0) * ceil(height / 32.0);
    if whole <= budget {
        return whole;
    }
    #[allow(clippy::cast_precision_loss)]
    let mut fit = (32.0 * 32.0 * budget as f64 / (width * height)).sqrt();
    let (across, down) = (width * fit / 32.0, height * fit / 32.0);
    // Shrunk a little more, so that whole patches fill one edge.
    fit *= (across.floor().max(1.0) / across).min(down.floor().max(1.0) / down).min(1.0);
    (ceil(width * fit / 32.0) * ceil(height * fit / 32.0)).min(budget)
}

fn tiles_768(width: u32, height: u32) -> u64 {
    const TOKENS: u64 = 258;
    if width <= 384 && height <= 384 {
        return TOKENS;
    }
    let unit = (width.min(height) * 2 / 3).clamp(256, 768);
    TOKENS * u64::from(width.div_ceil(unit)) * u64::from(height.div_ceil(unit))
}

/// Rounded up, but not for what is a whole number but for an error of arithmetic. At least 1.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn ceil(number: f64) -> u64 {
    (number - 1e-6).ceil().max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(rule: &str, width: u32, height: u32) -> u64 {
        ImageRule::named(rule).unwrap().tokens((width, height))
    }

    #[test]
    fn the_providers_own_examples_come_out() {
        // OpenAI: 765 for 1024 × 1024, 1,105 for 2048 × 4096; 1,024 and 1,452 patches.
        assert_eq!(tokens("openai_tiles_85_170", 1024, 1024), 765);
        assert_eq!(tokens("openai_tiles_85_170", 2048, 4096), 1105);
        assert_eq!(patches_32(1024.0, 1024.0, 1536), 1024);
        assert_eq!(patches_32(1800.0, 2400.0, 1536), 1452);
        // Google: 960 × 540 is six tiles of 360 pixels.
        assert_eq!(tokens("gemini_tiles", 960, 540), 6 * 258);
        assert_eq!(tokens("gemini_tiles", 384, 384), 258);
        // Anthropic: the sizes that its page lists as the largest that are not shrunk.
        assert_eq!(tokens("claude", 1092, 1092), 39 * 39);
        assert_eq!(tokens("claude", 784, 1568), 28 * 56);
        assert_eq!(tokens("claude", 200, 200), 64);
    }

    #[test]
    fn low_detail_costs_no_tiles_and_few_patches() {
        let low = |rule: &str, pixels| ImageRule::named(rule).unwrap().low(pixels);
        assert_eq!(low("openai_tiles_85_170", (1000, 1000)), 85);
        // 512 × 256 pixels: 16 × 8 patches, times 1.2.
        assert_eq!(low("openai_patches_120", (2048, 1024)), 154);
        assert_eq!(low("openai_patches_120", (320, 320)), 120);
        assert_eq!(low("claude", (200, 200)), 64);
    }

    #[test]
    fn no_size_exceeds_a_rules_bounds() {
        for (name, _, rule) in IMAGE_RULES {
            for pixels in [(0, 0), (1, 1), (1, u32::MAX), (u32::MAX, u32::MAX), (8000, 8000), (3, 100_000)] {
                let tokens = rule.tokens(pixels);
                assert!(tokens >= 1, "{name} {pixels:?}");
                match rule {
                    ImageRule::Patches28 { most, .. } => assert!(tokens <= u64::from(*most), "{name} {pixels:?}"),
                    ImageRule::Patches32 { budget, percent } => {
                        assert!(
                            tokens <= (u64::from(*budget) * u64::from(*percent)).div_ceil(100),
                            "{name} {pixels:?}"
                        );
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn names_and_numbers_are_distinct() {
        for (index, (name, code, _)) in IMAGE_RULES.iter().enumerate() {
            assert!(
                *code != 0
                    && IMAGE_RULES.iter().skip(index + 1).all(|(other, number, _)| other != name && number != code)
            );
        }
    }
}
