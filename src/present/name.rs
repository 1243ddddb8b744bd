//! What entries and events are called, in the room that there is.

use std::borrow::Cow;

use super::safe::{clip, clip_start};
use super::width;
use crate::model::{Event, Run};

/// Columns below which the beginning of a server's name says nothing.
const LEAST: usize = 4;

/// A label as people say it: of a tool of an MCP server (`mcp__plugin_maps_maps__find_route`) what tells it from
/// others, `maps: find_route`. Every other label is as it is. May hold untrusted text.
#[must_use]
pub fn plain_name(label: &str) -> Cow<'_, str> {
    match of_server(label) {
        Some((server, tool)) => Cow::Owned(format!("{server}: {tool}")),
        None => Cow::Borrowed(label),
    }
}

/// The same in about so many columns: the server gives way before the tool, and the tool's beginning before its end. A
/// label that is no such name is not cut.
#[must_use]
pub fn name_in(label: &str, columns: usize) -> Cow<'_, str> {
    let Some((server, tool)) = of_server(label) else { return Cow::Borrowed(label) };
    let plain = format!("{server}: {tool}");
    let size = width(tool);
    if width(&plain) <= columns {
        return Cow::Owned(plain);
    }
    match columns.checked_sub(size + 2) {
        Some(left) if left >= LEAST => Cow::Owned(format!("{}: {tool}", clip(server, left))),
        _ => clip_start(tool, columns),
    }
}

/// Which step an event is of.
#[must_use]
pub fn event_step(run: &Run, event: &Event) -> String {
    match run.is_after(event) {
        true => "after the last step".to_owned(),
        false => format!("step {}", event.step),
    }
}

/// The server and the tool of such a name. A plugin's server has the plugin's name before its own, often the same.
fn of_server(label: &str) -> Option<(&str, &str)> {
    let (server, tool) = label.strip_prefix("mcp__")?.split_once("__")?;
    let server = server.strip_prefix("plugin_").map_or(server, |named| {
        let half = named.len() / 2;
        match (named.get(..half), named.get(half..)) {
            (Some(plugin), Some(own)) if own.strip_prefix('_') == Some(plugin) => plugin,
            _ => named,
        }
    });
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_of_a_server_is_called_by_both() {
        assert_eq!(plain_name("mcp__plugin_maps_maps__find_route"), "maps: find_route");
        assert_eq!(plain_name("mcp__plugin_geo_maps__find_route"), "geo_maps: find_route");
        assert_eq!(plain_name("mcp__maps__find__route"), "maps: find__route");
        for label in ["Bash", "mcp__maps", "mcp____x", "mcp__x__", "src/mcp__a__b.rs", ""] {
            assert_eq!(plain_name(label), label);
        }
    }

    #[test]
    fn where_there_is_little_room_the_tools_end_stays() {
        let name = |columns| name_in("mcp__plugin_navigation_navigation__find_route", columns);
        assert_eq!(name(22), "navigation: find_route");
        assert_eq!(name(20), "navigat…: find_route");
        assert_eq!(name(15), "find_route");
        assert_eq!(name(6), "…route");
        assert_eq!(name(0), "");
        assert_eq!(name_in("a_name_that_is_long", 5), "a_name_that_is_long");
    }
}
