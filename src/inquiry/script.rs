//! Which texts the bundled embedding model does not read: it knows English, and takes any two texts of another script
//! for much the same.

/// What was looked for by meaning and could not be compared by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// Whether the sentence itself is in another script: it was looked for by its words.
    pub sentence: bool,
    /// Passages in another script, which were left out.
    pub passages: u64,
}

/// Whether most of a text's letters, by their bytes, are of another script than the Latin one.
#[must_use]
pub fn is_foreign(text: &str) -> bool {
    if text.is_ascii() {
        return false;
    }
    let (mut latin, mut other) = (0, 0);
    for sign in text.chars().filter(|sign| sign.is_alphabetic()) {
        match sign {
            '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => latin += 1,
            _ => other += sign.len_utf8(),
        }
    }
    other > latin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_told_apart() {
        for foreign in [
            "남은 항목을 완료한 후 릴리스한다",
            "`parse_date` の設定を変更しない",
            "Не трогай файл main.rs",
            "لا تلمس الملف",
        ] {
            assert!(is_foreign(foreign), "{foreign}");
        }
        for latin in ["never touch main.rs", "größere Änderungen später", "μ = 3 → keep the limit", "", "42 → 7"]
        {
            assert!(!is_foreign(latin), "{latin}");
        }
    }
}
