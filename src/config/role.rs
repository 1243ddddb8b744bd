//! What colours are for. Drawing code names roles; only a theme names colours.

use crate::model::{ALL_LAYERS, Layer};

macro_rules! roles {
    ($( $variant:ident, $name:literal, $meaning:literal; )*) => {
        /// What a piece of the screen is, for a theme to give it a look.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Role {
            $( #[doc = $meaning] $variant, )*
            /// What belongs to a layer.
            Layer(Layer),
        }

        /// Every role but the layers': role, name in themes, meaning.
        pub const ROLES: &[(Role, &str, &str)] = &[ $( (Role::$variant, $name, $meaning), )* ];

        /// The same without the layers, for their numbers.
        enum Plain { $( $variant, )* }

        impl Role {
            /// Where the role stands among all.
            #[must_use]
            pub fn index(self) -> usize {
                match self {
                    $( Role::$variant => Plain::$variant as usize, )*
                    Role::Layer(layer) => ROLES.len() + layer as usize,
                }
            }
        }
    };
}

roles! {
    Ground, "ground", "The whole screen, under everything else.";
    Text, "text", "Ordinary text.";
    Dim, "dim", "What matters less: labels, units, hints.";
    Title, "title", "Names of panes and headings of lists.";
    Accent, "accent", "What the eye should find first: the cursor's figures, a mark.";
    Name, "name", "Names in lists: projects, tools, files.";
    Border, "border", "Frames of panes.";
    Focus, "focus", "The frame and title of the pane that keys go to.";
    Selection, "selection", "The selected row of the pane that keys go to.";
    SelectionQuiet, "selection_quiet", "The selected row of other panes.";
    Cursor, "cursor", "The step of the timeline that is shown, and the place where text is typed.";
    Key, "key", "Keys in footer and help.";
    Kept, "kept", "Text that stayed in the window.";
    Cut, "cut", "Text that was cut away.";
    Cleared, "cleared", "What was cleared, and its marker.";
    Summarised, "summarised", "What a summary stands for, and compactions.";
    Added, "added", "What came in: new entries, new lines of an edit.";
    Removed, "removed", "What went: old entries, old lines of an edit.";
    Boundary, "boundary", "The line that marks a cut.";
    Human, "human", "Steps that a person wrote before.";
    Threshold, "threshold", "The size at which the agent compacts.";
    Over, "over", "What exceeds the window.";
    Estimate, "estimate", "A figure that is estimated.";
    Good, "good", "Something worked.";
    Warning, "warning", "Something to look at.";
    Error, "error", "Something failed.";
    Hit, "hit", "Text that a search found.";
    HitCurrent, "hit_current", "The place that the search is at.";
    Gauge, "gauge", "The part of a progress bar that is done.";
    Notice, "notice", "A message that goes away by itself.";
    Link, "link", "Targets of links.";
    Heading, "heading", "Headings in rendered Markdown.";
    Quote, "quote", "Quotes in rendered Markdown.";
    Code, "code", "Code in a line of text.";
    SyntaxKeyword, "syntax_keyword", "Keywords of code.";
    SyntaxString, "syntax_string", "Strings of code.";
    SyntaxNumber, "syntax_number", "Numbers and constants of code.";
    SyntaxComment, "syntax_comment", "Comments of code.";
    SyntaxFunction, "syntax_function", "Functions of code.";
    SyntaxType, "syntax_type", "Types of code.";
    SyntaxName, "syntax_name", "Keys of JSON, tags and attributes.";
    SyntaxPunctuation, "syntax_punctuation", "Brackets, commas, operators.";
}

impl Role {
    /// How many there are.
    pub const COUNT: usize = ROLES.len() + ALL_LAYERS.len();

    /// Every role, in the order of [`Role::index`].
    pub fn all() -> impl Iterator<Item = Role> {
        ROLES.iter().map(|(role, ..)| *role).chain(ALL_LAYERS.iter().map(|info| Role::Layer(info.layer)))
    }

    /// Name in themes; a layer's is its own, under `layers`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Role::Layer(layer) => layer.name(),
            other => ROLES.get(other.index()).map_or("", |(_, name, _)| name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_stands_at_its_index() {
        let all: Vec<Role> = Role::all().collect();
        assert_eq!(all.len(), Role::COUNT);
        assert!(all.iter().enumerate().all(|(at, role)| role.index() == at));
    }
}
