//! Links: every view has one that opens there again.

use super::testing::{world, world_under};
use crate::present::View;

#[test]
fn every_view_is_linked_to_and_opens_there_again() {
    for view in View::ALL {
        let fact = if *view == View::Trace { ",fact=step%202%2C" } else { "" };
        let mut one = world(&format!("step=2,view={}{fact}", view.name()));
        one.press("Y");
        let link = one.copied.pop().unwrap_or_else(|| panic!("{}: no link", view.name()));
        let at = link.split(" --at ").nth(1).unwrap_or_default().to_owned();
        assert!(at.contains(&format!("view={}", view.name())) && at.ends_with(fact), "{link}");
        let again = world(&at);
        assert_eq!(again.state.context(), one.state.context(), "{link}");
    }
    let mut graph = world("step=2,view=memory,tab=5");
    graph.press("Y");
    assert!(graph.copied.pop().is_some_and(|link| link.ends_with("view=memory,tab=5")));
}

#[test]
fn a_policy_that_was_given_stays_in_the_link_of_every_view_of_it() {
    for view in [View::Tune, View::Compare, View::Sweep] {
        let link = |given| {
            let mut world = world_under(&format!("step=2,view={}", view.name()), given);
            world.press("Y");
            world.copied.pop().unwrap_or_default()
        };
        assert!(link(true).contains(" --policy five-layer"), "{}", link(true));
        assert!(!link(false).contains("--policy"), "{}", link(false));
    }
}
