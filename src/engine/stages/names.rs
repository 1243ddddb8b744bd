//! Names of tools in settings, where a `*` at the end stands for any ending.

use std::sync::Arc;

use crate::engine::plan::Plan;

/// Whether a name is meant by a pattern.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

/// Per tool of the plan, whether a list means it. `empty`: what an empty list means.
pub(super) fn meant(plan: &Plan, list: &[String], empty: bool) -> Vec<bool> {
    let meant = |name: &Arc<str>| if list.is_empty() { empty } else { list.iter().any(|one| matches(one, name)) };
    plan.tools.iter().map(meant).collect()
}

/// Per tool of the plan, the size that a list of `NAME=SIZE` gives it; the first that means it.
pub(super) fn sizes(plan: &Plan, list: &[String]) -> Vec<Option<crate::policy::Size>> {
    let rules: Vec<(&str, crate::policy::Size)> = list
        .iter()
        .filter_map(|rule| rule.rsplit_once('='))
        .filter_map(|(name, size)| Some((name.trim(), crate::policy::Size::parse(size)?)))
        .collect();
    let size = |name: &Arc<str>| rules.iter().find(|(pattern, _)| matches(pattern, name)).map(|(_, size)| *size);
    plan.tools.iter().map(size).collect()
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_ending() {
        assert!(matches("mcp__*", "mcp__files__read") && matches("Bash", "Bash"));
        assert!(!matches("mcp__*", "Read") && !matches("Bash", "BashOutput"));
    }
}
