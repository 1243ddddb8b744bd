//! Office equations (OMML) as TeX, gathered while their elements come in.

use crate::document::tex::{accent, bracket, function, symbols, unwritten};

/// Equations nested deeper are written flat.
const DEPTH_MAX: usize = 64;

/// An element of an equation that is open.
struct Part {
    name: String,
    /// Properties: a character, a position.
    chr: Option<String>,
    begin: Option<String>,
    end: Option<String>,
    between: Option<String>,
    hidden_degree: bool,
    /// Whether a phantom only takes the place of what it holds.
    unseen: bool,
    /// How a fraction is written: without a bar it is a binomial, in a line it has none.
    kind: Option<String>,
    /// Whether a brace or a bar stands over what it is of.
    above: Option<bool>,
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
                "degHide" => owner.hidden_degree = is_on(value),
                "show" => owner.unseen = !is_on(value),
                "sepChr" => owner.between = value,
                "type" => owner.kind = value,
                "pos" => owner.above = value.map(|value| value == "top"),
                _ => {}
            }
        }
        self.open.push(Part {
            name: name.to_owned(),
            chr: None,
            begin: None,
            end: None,
            between: None,
            hidden_degree: false,
            unseen: false,
            kind: None,
            above: None,
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
        unwritten(self.done.trim())
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

    /// Whether equations below each other are aligned.
    fn is_aligned(&self) -> bool {
        self.children.iter().any(|(_, latex)| latex.contains('&'))
    }

    fn is_of(&self, kind: &str) -> bool {
        self.kind.as_deref() == Some(kind)
    }

    /// Something with a sign that spans it, as a brace; without a known one, the sign stands over it or under it.
    fn grouped(&self) -> String {
        let (sign, above) = (self.chr.as_deref().unwrap_or("⏟"), self.above == Some(true));
        match (accent(sign, !above), above) {
            (Some(accent), _) => format!("{accent}{{{}}}", self.child("e")),
            (None, true) => format!("\\overset{{{}}}{{{}}}", symbols(sign), self.child("e")),
            (None, false) => format!("\\underset{{{}}}{{{}}}", symbols(sign), self.child("e")),
        }
    }

    fn latex(&self) -> String {
        let e = || self.child("e");
        match self.name.as_str() {
            "f" if self.is_of("noBar") => format!("\\binom{{{}}}{{{}}}", self.child("num"), self.child("den")),
            "f" if self.is_of("lin") => format!("{{{}}}/{{{}}}", self.child("num"), self.child("den")),
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
                let between = symbols(self.between.as_deref().unwrap_or("|"));
                format!("\\left{}{}\\right{}", bracket(begin), self.rows("e", &between), bracket(end))
            }
            "func" => format!("{} {}", self.child("fName"), e()),
            "fName" => named(&self.all()),
            "limLow" => format!("{}_{{{}}}", named(e()), self.child("lim")),
            "limUpp" => format!("{}^{{{}}}", named(e()), self.child("lim")),
            "acc" => {
                format!("{}{{{}}}", accent(self.chr.as_deref().unwrap_or("\u{302}"), false).unwrap_or("\\hat"), e())
            }
            "bar" if self.above == Some(true) => format!("\\overline{{{}}}", e()),
            "bar" => format!("\\underline{{{}}}", e()),
            "groupChr" => self.grouped(),
            "borderBox" => format!("\\boxed{{{}}}", e()),
            "phant" if self.unseen => format!("\\phantom{{{}}}", e()),
            "phant" => e().to_owned(),
            "m" => format!("\\begin{{matrix}}{}\\end{{matrix}}", self.rows("mr", "\\\\")),
            "mr" => self.rows("e", "&"),
            "eqArr" if self.is_aligned() => {
                format!("\\begin{{aligned}}{}\\end{{aligned}}", self.rows("e", "\\\\"))
            }
            "eqArr" => format!("\\begin{{array}}{{c}}{}\\end{{array}}", self.rows("e", "\\\\")),
            _ => self.all(),
        }
    }
}

/// Whether a property is on that is named; it is without a value.
fn is_on(value: Option<String>) -> bool {
    !matches!(value.as_deref(), Some("0" | "off" | "false"))
}

/// What a function is called, or what stands in its name's place.
fn named(latex: &str) -> String {
    function(latex).unwrap_or_else(|| latex.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phantom_is_seen_but_where_it_is_said_not_to_be() {
        let written = |show: Option<Option<&str>>| {
            let mut math = Math::default();
            ["oMath", "phant", "phantPr"].iter().for_each(|name| math.begin(name, None));
            if let Some(value) = show {
                math.begin("show", value.map(str::to_owned));
                math.end();
            }
            math.end();
            ["e", "r", "t"].iter().for_each(|name| math.begin(name, None));
            math.text("3\u{2062}4");
            math.finish()
        };
        for show in [None, Some(None), Some(Some("1")), Some(Some("on"))] {
            assert_eq!(written(show), "3\\cdot 4");
        }
        for show in ["0", "off", "false"] {
            assert_eq!(written(Some(Some(show))), "\\phantom{3\\cdot 4}");
        }
    }
}
