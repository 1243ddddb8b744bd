//! What the view explains when it is asked: how passages are chosen of the document that is shown.

use crate::chunk::Strategy;
use crate::model::{Layer, Stage};
use crate::policy::named;
use crate::present::{About, about_layer, about_setting, about_stage, count};

use super::{Choice, Documents};

/// How the document that is shown comes into the window.
#[must_use]
pub fn explained(view: &Documents) -> Option<About> {
    let choice = view.choice.as_ref()?;
    if choice.medium.is_some() {
        return Some(about_layer(Layer::Files));
    }
    if choice.in_window.is_some() {
        return named("files.mode").map(|setting| about_setting(setting, None));
    }
    Some(About { text: chosen(choice), ..about_stage(Stage::Select) })
}

/// By which rule, with the figures in force.
fn chosen(choice: &Choice) -> String {
    let settings = &choice.settings;
    let budget = count(settings.budget);
    match choice.division.strategy {
        Strategy::Whole => format!(
            "A document of fewer than {} characters goes in whole, and nothing of it is chosen. A longer one is chosen \
             from, within {budget} characters.",
            count(settings.threshold)
        ),
        Strategy::Sections => format!(
            "It has {} headings or more, so its sections are taken in the order of a list of priorities, then as they \
             stand, as long as {budget} characters have room for them. The heat at the left of the document is how near \
             each is to the task, which does not choose here.",
            count(settings.min_headings)
        ),
        Strategy::Windows => format!(
            "It is divided into windows of {} characters that share {} with the next, and the {} nearest to the task are \
             put back in reading order within {budget} characters. The heat at the left of the document is how near each \
             is, ┏┃┗ is what is taken, and ✂ where the budget had no room.",
            count(settings.window),
            count(settings.shared()),
            count(settings.top)
        ),
    }
}
