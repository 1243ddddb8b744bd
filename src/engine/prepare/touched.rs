//! Which files a history touches, by the arguments of its tool calls.

use crate::content::Sources;
use crate::engine::plan::{below, touched_path};
use crate::model::{BlockKind, Transcript};

use super::Plan;

/// Paths in tool calls with the step from which the call stands in the window, in order. Paths are as the agent wrote
/// them; those below the agent's working folder, where it is known, are made relative to it, and those that lead out of
/// it are led there.
#[must_use]
pub fn touched(plan: &Plan, transcript: &Transcript, sources: &Sources) -> Vec<(u32, String)> {
    let folder = transcript.session.folder.as_deref().map(|folder| folder.replace('\\', "/"));
    let mut found = Vec::new();
    for item in plan.items.iter().filter(|item| item.kind == BlockKind::ToolCall) {
        let Some(block) = transcript.block(item.block) else { continue };
        let Some(path) = sources.body_text(&block.body).ok().and_then(|text| touched_path(&text)) else { continue };
        let path = outward(folder.as_deref(), path.replace('\\', "/"));
        let inner = folder.as_deref().and_then(|folder| below(&path, folder));
        found.push((item.born, inner.unwrap_or(&path).to_owned()));
    }
    found
}

/// A path that leads out of a folder, from where the folder lies.
fn outward(folder: Option<&str>, path: String) -> String {
    let (Some(mut place), mut rest) = (folder.map(|folder| folder.trim_end_matches('/')), path.as_str()) else {
        return path;
    };
    if !rest.starts_with("../") {
        return path;
    }
    while let Some(inner) = rest.strip_prefix("../") {
        let Some((above, _)) = place.rsplit_once('/') else { return path };
        (place, rest) = (above, inner);
    }
    format!("{place}/{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leads_out_of_the_folder_is_led_there() {
        let led = |folder: Option<&str>, path: &str| outward(folder, path.to_owned());
        assert_eq!(led(Some("/repo/packages/api"), "../web/b.ts"), "/repo/packages/web/b.ts");
        assert_eq!(led(Some("/repo/packages/api"), "../../x"), "/repo/x");
        for path in ["src/a.rs", "../../../../../x"] {
            assert_eq!(led(Some("/repo/api"), path), path);
        }
        assert_eq!(led(None, "../x"), "../x");
    }
}
