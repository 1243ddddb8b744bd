//! Office equations (OMML) as LaTeX, gathered while their elements come in.

/// Equations nested deeper are written flat.
const DEPTH_MAX: usize = 64;

/// An element of an equation that is open.
struct Part {
    name: String,
    /// Properties: a character, a position.
    chr: Option<String>,
    begin: Option<String>,
    end: Option<String>,
    hidden_degree: bool,
    /// A fraction without a bar: a binomial.
    no_bar: bool,
    /// What its finished children are: their names and LaTeX.
    children: Vec<(String, String)>,
    text: String,
}

/// An equation being gathered.
#[derive(Default)]
pub struct Math {
    open: Vec<Part>,
    skipped: usize,
    done: String,
}

impl Math {
    /// An element begins, by its local name and the value of its `val`.
    pub fn begin(&mut self, name: &str, value: Option<String>) {
        if self.open.len() >= DEPTH_MAX {
            self.skipped += 1;
            return;
        }
        // Properties belong to the element around `…Pr`.
        if let [.., owner, properties] = self.open.as_mut_slice()
            && properties.name.ends_with("Pr")
        {
            match name {
                "chr" => owner.chr = value,
                "begChr" => owner.begin = Some(value.unwrap_or_default()),
                "endChr" => owner.end = Some(value.unwrap_or_default()),
                "degHide" => owner.hidden_degree = value.is_none_or(|value| value != "0" && value != "off"),
                "type" => owner.no_bar = value.as_deref() == Some("noBar"),
                _ => {}
            }
        }
        self.open.push(Part {
            name: name.to_owned(),
            chr: None,
            begin: None,
            end: None,
            hidden_degree: false,
            no_bar: false,
            children: Vec::new(),
            text: String::new(),
        });
    }

    /// Text of a run.
    pub fn text(&mut self, text: &str) {
        if let Some(part) = self.open.last_mut() {
            part.text.push_str(text);
        }
    }

    /// The innermost element ends.
    pub fn end(&mut self) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        let Some(part) = self.open.pop() else {
            return;
        };
        let name = part.name.clone();
        let latex = if name.ends_with("Pr") { String::new() } else { part.latex() };
        match self.open.last_mut() {
            Some(around) => around.children.push((name, latex)),
            None => self.done.push_str(&latex),
        }
    }

    /// The whole as LaTeX.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.skipped = 0;
        while !self.open.is_empty() {
            self.end();
        }
        self.done.trim().to_owned()
    }
}

impl Part {
    /// A child by its name.
    fn child(&self, name: &str) -> &str {
        self.children.iter().find(|(known, _)| known == name).map_or("", |(_, latex)| latex)
    }

    fn all(&self) -> String {
        self.children.iter().map(|(_, latex)| latex.as_str()).collect::<String>() + &symbols(&self.text)
    }

    fn rows(&self, name: &str, between: &str) -> String {
        let rows = self.children.iter().filter(|(known, _)| known == name);
        rows.map(|(_, latex)| latex.as_str()).collect::<Vec<_>>().join(between)
    }

    fn latex(&self) -> String {
        let e = || self.child("e");
        match self.name.as_str() {
            "f" if self.no_bar => format!("\\binom{{{}}}{{{}}}", self.child("num"), self.child("den")),
            "f" => format!("\\frac{{{}}}{{{}}}", self.child("num"), self.child("den")),
            "sSup" => format!("{}^{{{}}}", e(), self.child("sup")),
            "sSub" => format!("{}_{{{}}}", e(), self.child("sub")),
            "sSubSup" => format!("{}_{{{}}}^{{{}}}", e(), self.child("sub"), self.child("sup")),
            "sPre" => format!("{{}}_{{{}}}^{{{}}}{}", self.child("sub"), self.child("sup"), e()),
            "rad" if self.hidden_degree || self.child("deg").is_empty() => format!("\\sqrt{{{}}}", e()),
            "rad" => format!("\\sqrt[{}]{{{}}}", self.child("deg"), e()),
            "nary" => {
                let sign = symbols(self.chr.as_deref().unwrap_or("∫"));
                let mut latex = sign.trim_end().to_owned();
                for (mark, limit) in [('_', self.child("sub")), ('^', self.child("sup"))] {
                    if !limit.is_empty() {
                        latex.push_str(&format!("{mark}{{{limit}}}"));
                    }
                }
                format!("{latex} {}", e())
            }
            "d" => {
                let begin = self.begin.as_deref().unwrap_or("(");
                let end = self.end.as_deref().unwrap_or(")");
                format!("\\left{}{}\\right{}", bracket(begin), self.rows("e", ","), bracket(end))
            }
            "func" => {
                let name = self.child("fName").trim();
                let known =
                    ["sin", "cos", "tan", "cot", "log", "ln", "exp", "lim", "max", "min", "det"].contains(&name);
                format!("{}{name} {}", if known { "\\" } else { "" }, e())
            }
            "limLow" => format!("{}_{{{}}}", e(), self.child("lim")),
            "limUpp" => format!("{}^{{{}}}", e(), self.child("lim")),
            "acc" => format!("{}{{{}}}", accent(self.chr.as_deref().unwrap_or("\u{302}")), e()),
            "bar" => format!("\\overline{{{}}}", e()),
            "groupChr" => format!("\\underbrace{{{}}}", e()),
            "m" => format!("\\begin{{matrix}}{}\\end{{matrix}}", self.rows("mr", "\\\\")),
            "mr" => self.rows("e", "&"),
            "eqArr" => format!("\\begin{{array}}{{c}}{}\\end{{array}}", self.rows("e", "\\\\")),
            _ => self.all(),
        }
    }
}

fn bracket(sign: &str) -> String {
    match sign {
        "" => ".".to_owned(),
        "{" | "}" => format!("\\{sign}"),
        "⟨" => "\\langle ".to_owned(),
        "⟩" => "\\rangle ".to_owned(),
        "‖" => "\\|".to_owned(),
        _ => sign.to_owned(),
    }
}

fn accent(sign: &str) -> &'static str {
    match sign.chars().next() {
        Some('\u{303}' | '~') => "\\tilde",
        Some('\u{304}' | '\u{305}' | '¯') => "\\bar",
        Some('\u{307}') => "\\dot",
        Some('\u{308}') => "\\ddot",
        Some('\u{20D7}' | '→') => "\\vec",
        Some('\u{30C}') => "\\check",
        _ => "\\hat",
    }
}

/// Signs and their LaTeX names.
const SYMBOLS: &[(char, &str)] = &[
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "varepsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('κ', "kappa"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('τ', "tau"),
    ('φ', "varphi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
    ('Γ', "Gamma"),
    ('Δ', "Delta"),
    ('Θ', "Theta"),
    ('Λ', "Lambda"),
    ('Π', "Pi"),
    ('Σ', "Sigma"),
    ('Φ', "Phi"),
    ('Ψ', "Psi"),
    ('Ω', "Omega"),
    ('∑', "sum"),
    ('∏', "prod"),
    ('∫', "int"),
    ('∬', "iint"),
    ('∮', "oint"),
    ('∞', "infty"),
    ('∂', "partial"),
    ('∇', "nabla"),
    ('±', "pm"),
    ('∓', "mp"),
    ('×', "times"),
    ('÷', "div"),
    ('·', "cdot"),
    ('⋅', "cdot"),
    ('≤', "leq"),
    ('≥', "geq"),
    ('≠', "neq"),
    ('≈', "approx"),
    ('≡', "equiv"),
    ('∈', "in"),
    ('∉', "notin"),
    ('⊂', "subset"),
    ('⊆', "subseteq"),
    ('∪', "cup"),
    ('∩', "cap"),
    ('∀', "forall"),
    ('∃', "exists"),
    ('→', "rightarrow"),
    ('←', "leftarrow"),
    ('⇒', "Rightarrow"),
    ('⇔', "Leftrightarrow"),
    ('…', "ldots"),
    ('⋯', "cdots"),
];

/// Text with its signs by their LaTeX names.
fn symbols(text: &str) -> String {
    let mut latex = String::with_capacity(text.len());
    for sign in text.chars() {
        match SYMBOLS.iter().find(|(known, _)| *known == sign) {
            Some((_, name)) => {
                latex.push('\\');
                latex.push_str(name);
                latex.push(' ');
            }
            None => latex.push(sign),
        }
    }
    latex
}
