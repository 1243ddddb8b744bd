//! Which items the history no longer holds, as later ones come in: a branch that was left says nothing of what follows.

use super::{Feed, NONE, Plan};

/// Per item, how many had come in when it left the history for good. Empty where the history never goes back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gone(Vec<u32>);

impl Gone {
    /// Follows a history to its end.
    #[must_use]
    pub fn of(plan: &Plan) -> Gone {
        if plan.backs.is_empty() {
            return Gone::default();
        }
        let (mut gone, mut come) = (vec![NONE; plan.items.len()], 0);
        let mut set = |item: &u32, at| {
            if let Some(place) = gone.get_mut(*item as usize) {
                *place = at;
            }
        };
        for happens in &plan.feed {
            match happens {
                Feed::Admit(to) => come = *to,
                Feed::Back(at) => {
                    let Some(back) = plan.backs.get(*at as usize) else { continue };
                    back.removed.iter().for_each(|item| set(item, come));
                    back.again.iter().for_each(|(item, _)| set(item, NONE));
                }
                Feed::Ask | Feed::Manual(_) => {}
            }
        }
        Gone(gone)
    }

    /// Whether an item had left when a later one came in.
    #[must_use]
    pub fn before(&self, item: u32, later: u32) -> bool {
        self.0.get(item as usize).is_some_and(|at| *at <= later)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_gone_where_the_history_never_goes_back() {
        assert!(!Gone::default().before(0, 5));
        let gone = Gone(vec![NONE, 3, 3]);
        assert!(!gone.before(0, 9) && !gone.before(1, 2));
        assert!(gone.before(1, 3) && gone.before(2, 9));
    }
}
