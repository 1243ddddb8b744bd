//! Formulas as TeX: what signs, accents, brackets and functions are called, whatever notation they come from.

use unicode_normalization::UnicodeNormalization;

/// Functions that TeX knows by their names.
const FUNCTIONS: &[&str] = &[
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "coth", "csc", "deg", "det", "dim", "exp", "gcd", "hom",
    "inf", "ker", "lg", "lim", "liminf", "limsup", "ln", "log", "max", "min", "Pr", "sec", "sin", "sinh", "sup", "tan",
    "tanh",
];

/// A name of several letters, as that of a function; `None` where it is none.
#[must_use]
pub fn function(name: &str) -> Option<String> {
    let name = name.trim();
    if FUNCTIONS.contains(&name) {
        return Some(format!("\\{name}"));
    }
    let is_name =
        name.chars().all(char::is_alphanumeric) && name.chars().filter(|sign| sign.is_alphabetic()).count() > 1;
    is_name.then(|| format!("\\operatorname{{{name}}}"))
}

/// A bracket, for what stands between two to grow with; none where it is empty.
#[must_use]
pub fn bracket(sign: &str) -> String {
    match sign.trim() {
        "" => ".".to_owned(),
        "/" => "/".to_owned(),
        sign => symbols(sign),
    }
}

/// What stands over or under something as its accent, by its sign; `None` where it is none.
#[must_use]
pub fn accent(sign: &str, below: bool) -> Option<&'static str> {
    let mut signs = sign.trim().chars();
    let (Some(sign), None) = (signs.next(), signs.next()) else { return None };
    Some(match (sign, below) {
        ('\u{300}' | '`', false) => "\\grave",
        ('\u{301}' | '´', false) => "\\acute",
        ('\u{302}' | '^' | 'ˆ', false) => "\\hat",
        ('\u{303}' | '~' | '˜' | '∼', false) => "\\tilde",
        ('\u{304}' | '\u{305}' | '¯' | '‾' | 'ˉ', false) => "\\bar",
        ('\u{306}' | '˘', false) => "\\breve",
        ('\u{307}' | '˙' | '.', false) => "\\dot",
        ('\u{308}' | '¨', false) => "\\ddot",
        ('\u{30A}' | '˚', false) => "\\mathring",
        ('\u{30C}' | 'ˇ', false) => "\\check",
        ('\u{20D6}' | '←', false) => "\\overleftarrow",
        ('\u{20D7}' | '→', false) => "\\vec",
        ('\u{20DB}', false) => "\\dddot",
        ('\u{20E1}' | '↔', false) => "\\overleftrightarrow",
        ('⏞', _) => "\\overbrace",
        ('⏟', _) => "\\underbrace",
        ('⎴', _) => "\\overbracket",
        ('⎵', _) => "\\underbracket",
        ('\u{331}' | '\u{332}' | '_' | '¯' | '‾', true) | ('\u{331}' | '\u{332}', false) => "\\underline",
        ('\u{20EE}', _) | ('←', true) => "\\underleftarrow",
        ('\u{20EF}', _) | ('→', true) => "\\underrightarrow",
        _ => return None,
    })
}

/// Signs and their names.
const SYMBOLS: &[(char, &str)] = &[
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "varepsilon"),
    ('ϵ', "epsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('ϑ', "vartheta"),
    ('ι', "iota"),
    ('κ', "kappa"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('ς', "varsigma"),
    ('τ', "tau"),
    ('υ', "upsilon"),
    ('φ', "varphi"),
    ('ϕ', "phi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
    ('Γ', "Gamma"),
    ('Δ', "Delta"),
    ('Θ', "Theta"),
    ('Λ', "Lambda"),
    ('Ξ', "Xi"),
    ('Π', "Pi"),
    ('Σ', "Sigma"),
    ('Φ', "Phi"),
    ('Ψ', "Psi"),
    ('Ω', "Omega"),
    ('∑', "sum"),
    ('∏', "prod"),
    ('∐', "coprod"),
    ('∫', "int"),
    ('∬', "iint"),
    ('∭', "iiint"),
    ('∮', "oint"),
    ('⋃', "bigcup"),
    ('⋂', "bigcap"),
    ('⋁', "bigvee"),
    ('⋀', "bigwedge"),
    ('⨁', "bigoplus"),
    ('⨂', "bigotimes"),
    ('∞', "infty"),
    ('∂', "partial"),
    ('∇', "nabla"),
    ('ℏ', "hbar"),
    ('ℓ', "ell"),
    ('ℜ', "Re"),
    ('ℑ', "Im"),
    ('℘', "wp"),
    ('ℵ', "aleph"),
    ('±', "pm"),
    ('∓', "mp"),
    ('×', "times"),
    ('÷', "div"),
    ('·', "cdot"),
    ('⋅', "cdot"),
    ('∘', "circ"),
    ('•', "bullet"),
    ('⋆', "star"),
    ('†', "dagger"),
    ('⊕', "oplus"),
    ('⊖', "ominus"),
    ('⊗', "otimes"),
    ('⊙', "odot"),
    ('≤', "leq"),
    ('≥', "geq"),
    ('≪', "ll"),
    ('≫', "gg"),
    ('≠', "neq"),
    ('≈', "approx"),
    ('≡', "equiv"),
    ('≅', "cong"),
    ('≃', "simeq"),
    ('∼', "sim"),
    ('∝', "propto"),
    ('≺', "prec"),
    ('≻', "succ"),
    ('⊥', "perp"),
    ('∥', "parallel"),
    ('∣', "mid"),
    ('∈', "in"),
    ('∉', "notin"),
    ('∋', "ni"),
    ('⊂', "subset"),
    ('⊆', "subseteq"),
    ('⊃', "supset"),
    ('⊇', "supseteq"),
    ('∪', "cup"),
    ('∩', "cap"),
    ('∖', "setminus"),
    ('∅', "emptyset"),
    ('∀', "forall"),
    ('∃', "exists"),
    ('¬', "neg"),
    ('∧', "wedge"),
    ('∨', "vee"),
    ('⊢', "vdash"),
    ('⊨', "models"),
    ('→', "rightarrow"),
    ('←', "leftarrow"),
    ('↔', "leftrightarrow"),
    ('⟶', "longrightarrow"),
    ('↦', "mapsto"),
    ('↑', "uparrow"),
    ('↓', "downarrow"),
    ('⇒', "Rightarrow"),
    ('⇐', "Leftarrow"),
    ('⇔', "Leftrightarrow"),
    ('⟹', "Longrightarrow"),
    ('⟺', "Longleftrightarrow"),
    ('…', "ldots"),
    ('⋯', "cdots"),
    ('⋮', "vdots"),
    ('⋱', "ddots"),
    ('⟨', "langle"),
    ('⟩', "rangle"),
    ('〈', "langle"),
    ('〉', "rangle"),
    ('⌈', "lceil"),
    ('⌉', "rceil"),
    ('⌊', "lfloor"),
    ('⌋', "rfloor"),
    ('∠', "angle"),
    ('△', "triangle"),
    ('√', "surd"),
];

/// Text with its signs by their names, letters in the shapes of formulas as letters, and escaped what would mean
/// something else, but in what is TeX already. `&` stays: equations are aligned by it.
#[must_use]
pub fn symbols(text: &str) -> String {
    let is_tex = text.contains('\\');
    let mut tex = String::with_capacity(text.len());
    for sign in text.chars() {
        match plain(sign) {
            sign if is_tex && sign.is_ascii() => tex.push(sign),
            'ℂ' | 'ℍ' | 'ℕ' | 'ℙ' | 'ℚ' | 'ℝ' | 'ℤ' => {
                tex.extend("\\mathbb{".chars().chain(sign.nfkc()).chain(['}']))
            }
            sign => add(sign, &mut tex),
        }
    }
    tex
}

/// The same, with letters as they are: TeX knows them, and who seeks them finds them.
#[must_use]
pub fn signs(text: &str) -> String {
    let mut tex = String::with_capacity(text.len());
    for sign in text.chars() {
        if sign.is_alphanumeric() { tex.push(sign) } else { add(sign, &mut tex) }
    }
    tex
}

fn add(sign: char, tex: &mut String) {
    if let Some((_, name)) = SYMBOLS.iter().find(|(known, _)| *known == sign) {
        tex.extend(["\\", name, " "]);
        return;
    }
    match sign {
        '$' | '%' | '#' | '_' | '{' | '}' => tex.extend(['\\', sign]),
        '‖' => tex.push_str("\\|"),
        '°' => tex.push_str("^{\\circ}"),
        '′' => tex.push('\''),
        '″' => tex.push_str("''"),
        '−' => tex.push('-'),
        '\u{A0}' | '\u{2002}'..='\u{200A}' => tex.push(' '),
        // A function's application that is not written.
        '\u{2061}' | '\u{200B}' => {}
        _ => tex.push(sign),
    }
}

/// TeX without the signs of products, commas and sums that are not written; between numbers, which would be one
/// without them, something that is.
#[must_use]
pub fn unwritten(tex: &str) -> String {
    let is_unwritten = |sign: char| matches!(sign, '\u{2062}'..='\u{2064}');
    let mut found = String::with_capacity(tex.len());
    let mut rest = tex;
    while let Some(at) = rest.find(is_unwritten) {
        let (before, signs) = rest.split_at(at);
        found.push_str(before);
        rest = signs.trim_start_matches(|sign| is_unwritten(sign) || sign == ' ');
        let signs = &signs[..signs.len() - rest.len()];
        let ends = found.trim_end().ends_with(char::is_numeric);
        if ends && rest.trim_start_matches('{').starts_with(|sign: char| sign.is_numeric() || sign == '.') {
            found.push_str(if signs.contains('\u{2062}') { "\\cdot " } else { "\\," });
        } else if signs.contains(' ') && !found.is_empty() && !found.ends_with(' ') {
            found.push(' ');
        }
    }
    found + rest
}

/// Words within a formula, with what would mean something else escaped.
#[must_use]
pub fn words(text: &str) -> String {
    let mut tex = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '$' | '%' | '#' | '_' | '{' | '}' | '&' => tex.extend(['\\', sign]),
            '\\' => tex.push_str("\\textbackslash{}"),
            '^' => tex.push_str("\\textasciicircum{}"),
            '~' => tex.push_str("\\textasciitilde{}"),
            '\u{2061}'..='\u{2064}' | '\u{200B}' => {}
            _ => tex.push(sign),
        }
    }
    tex
}

/// A letter in the shape of a formula (bold, italic, script …) as a letter.
fn plain(sign: char) -> char {
    match sign {
        '\u{1D400}'..='\u{1D7FF}' | 'ℎ' => std::iter::once(sign).nfkc().next().unwrap_or(sign),
        _ => sign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_letters_and_functions_have_their_names() {
        assert_eq!(symbols("𝑎ℎ𝛼≤5%9°"), "ah\\alpha \\leq 5\\%9^{\\circ}");
        assert_eq!(unwritten(&symbols("ℝ\u{2062}x′−{y}")), "\\mathbb{R}x'-\\{y\\}");
        assert_eq!(symbols("\\frac{1}{2}"), "\\frac{1}{2}");
        assert_eq!(signs("𝑎α≤ℝ"), "𝑎α\\leq ℝ");
        assert_eq!((function("sin"), function("rank")), (Some("\\sin".into()), Some("\\operatorname{rank}".into())));
        assert_eq!((function("f"), function("12")), (None, None));
        assert_eq!((accent("\u{30C}", false), accent("ab", false)), (Some("\\check"), None));
        assert_eq!((bracket(""), bracket("{"), bracket("⟨")), (".".into(), "\\{".into(), "\\langle ".into()));
    }

    #[test]
    fn numbers_stay_apart_and_words_are_escaped() {
        for (formula, tex) in [
            ("3\u{2062}10", "3\\cdot 10"),
            ("3 \u{2062} \u{2062}{4}^{2}", "3 \\cdot {4}^{2}"),
            ("3\u{2062}.5", "3\\cdot .5"),
            ("1\u{2063}2", "1\\,2"),
            ("3\u{2062}x\u{2062}", "3x"),
            ("a \u{2062} b\u{2062} c", "a b c"),
        ] {
            assert_eq!(unwritten(formula), tex);
        }
        assert_eq!(words("50% & $5 {a_b} \\ ^"), "50\\% \\& \\$5 \\{a\\_b\\} \\textbackslash{} \\textasciicircum{}");
    }
}
