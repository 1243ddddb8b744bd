//! One module by two names: `app.services.billing` in code, `app/services/billing.py` as a file.

/// Endings of files that code names with dots.
const ENDINGS: &[&str] = &["py", "pyi", "java", "kt", "scala", "groovy"];

/// The last folder and the name of a module's file, with the byte at which they begin: `services.billing`.
pub(super) fn of_path(path: &str) -> Option<(usize, String)> {
    let (module, ending) = path.rsplit_once('.')?;
    if !ENDINGS.contains(&ending) {
        return None;
    }
    let module = module.strip_suffix("/__init__").unwrap_or(module);
    let (folders, name) = module.rsplit_once('/')?;
    let from = folders.rfind('/').map_or(0, |slash| slash + 1);
    let folder = &folders[from..];
    (is_name(folder) && is_name(name)).then(|| (from, format!("{folder}.{name}")))
}

/// The pairs of names that follow each other in a dotted word, with the byte at which they begin.
pub(super) fn of_dotted(word: &str) -> impl Iterator<Item = (usize, &str)> {
    let dots = || word.match_indices('.').map(|(at, _)| at);
    let begins = std::iter::once(0).chain(dots().map(|at| at + 1));
    let ends = dots().skip(1).chain([word.len()]);
    let pairs = begins.zip(ends).filter_map(move |(from, to)| Some((from, word.get(from..to)?)));
    pairs.filter(|(_, pair)| pair.split_once('.').is_some_and(|(one, other)| is_name(one) && is_name(other)))
}

fn is_name(part: &str) -> bool {
    part.starts_with(|sign: char| sign.is_alphabetic() || sign == '_')
        && part.chars().all(|sign| sign.is_alphanumeric() || sign == '_')
}

#[cfg(test)]
mod tests {
    use super::{of_dotted, of_path};

    #[test]
    fn a_module_has_one_name_as_a_file_and_in_code() {
        let named = |path: &str| of_path(path).map(|(_, name)| name);
        assert_eq!(of_path("/home/u/app/services/billing.py"), Some((12, "services.billing".to_owned())));
        assert_eq!(named("services/billing/__init__.py").as_deref(), Some("services.billing"));
        assert_eq!(["billing.py", "src/a.rs", "v1.2/a.py", "a b/c.py"].map(named), [None, None, None, None]);
        let pairs: Vec<_> = of_dotted("app.services.billing.charge").map(|(_, pair)| pair).collect();
        assert_eq!(pairs, ["app.services", "services.billing", "billing.charge"]);
        assert_eq!(of_dotted("services.billing").count(), 1);
        assert_eq!(of_dotted("1.2.3").chain(of_dotted("word")).chain(of_dotted("a..b")).count(), 0);
    }
}
