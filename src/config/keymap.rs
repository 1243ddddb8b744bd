//! Which keys do what: the table's defaults, with the user's keys file over them.

use toml::de::{DeTable, DeValue};

use super::fault::unknown;
use super::{ACTIONS, Action, Context, Fault, Key, parse_sequence};

/// What keys pressed so far mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// Nothing: the keys are forgotten (where text is typed, they are text).
    None,
    /// More keys must follow.
    Prefix,
    /// This action.
    Action(Action),
}

/// The keys of every action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// By [`Action`]'s order: the sequences that do it.
    keys: Vec<Vec<Vec<Key>>>,
    /// Those that the user gave: they hide what else has the same keys in the same place.
    given: Vec<(Action, Vec<Key>)>,
}

impl Default for Keymap {
    /// The keys of the table.
    fn default() -> Keymap {
        let parse = |info: &super::ActionInfo| {
            info.keys.iter().filter_map(|written| parse_sequence(written).ok()).collect::<Vec<_>>()
        };
        Keymap { keys: ACTIONS.iter().map(parse).collect(), given: Vec::new() }
    }
}

impl Keymap {
    /// The keys of the table, with a keys file's over them: `action = ["key", "key key"]`, an empty list for none.
    /// What the file gives to an action hides whatever else had it in the same place.
    ///
    /// # Errors
    /// Everything that is wrong with the file: unknown actions with the nearest name, what is no key, and keys that
    /// the file gives to two actions in one place.
    pub fn with_file(text: &str) -> Result<Keymap, Vec<Fault>> {
        let table = DeTable::parse(text).map_err(|error| vec![Fault::syntax(text, &error)])?;
        let mut faults = Vec::new();
        let mut given: Vec<(Action, usize, Vec<Key>)> = Vec::new();
        let mut map = Keymap::default();
        for (name, value) in table.get_ref() {
            let (at, path) = (name.span(), name.get_ref().to_string());
            let Some(action) = Action::named(&path) else {
                let names = ACTIONS.iter().map(|info| info.name);
                faults.push(Fault::at(text, at, path.clone(), unknown("action", &path, names)));
                continue;
            };
            map.keys[action as usize].clear();
            let one = std::slice::from_ref(value);
            let list = match value.get_ref() {
                DeValue::Array(list) => &list[..],
                _ => one,
            };
            for item in list {
                let DeValue::String(written) = item.get_ref() else {
                    faults.push(Fault::at(text, item.span(), path.clone(), "expected a list of keys, as [\"ctrl-d\"]"));
                    continue;
                };
                match parse_sequence(written) {
                    Ok(keys) => given.push((action, item.span().start, keys)),
                    Err(why) => faults.push(Fault::at(text, item.span(), path.clone(), why)),
                }
            }
        }
        given.sort_by_key(|(_, place, _)| *place);
        for (at, (action, place, keys)) in given.iter().enumerate() {
            let clash =
                given[..at].iter().find(|(other, _, held)| other != action && clashes(*other, held, *action, keys));
            if let Some((other, _, held)) = clash {
                let message = format!("{} already does {}", written(held), other.name());
                faults.push(Fault::at(text, *place..*place, action.name(), message));
            }
        }
        for (action, _, keys) in given {
            map.keys[action as usize].push(keys.clone());
            map.given.push((action, keys));
        }
        faults.sort_by_key(|fault| fault.line);
        if faults.is_empty() { Ok(map) } else { Err(faults) }
    }

    /// What the keys pressed so far mean in a place.
    #[must_use]
    pub fn lookup(&self, context: Context, pressed: &[Key]) -> Match {
        let mut found = Match::None;
        for (info, sequences) in ACTIONS.iter().zip(&self.keys) {
            if !info.contexts.contains(&context) {
                continue;
            }
            for keys in sequences.iter().filter(|keys| self.works(context, info.action, keys)) {
                if keys == pressed {
                    return Match::Action(info.action);
                }
                if keys.starts_with(pressed) && !pressed.is_empty() {
                    found = Match::Prefix;
                }
            }
        }
        found
    }

    /// Every sequence of an action, in order of preference, whether or not another hides it somewhere.
    #[must_use]
    pub fn keys(&self, action: Action) -> &[Vec<Key>] {
        &self.keys[action as usize]
    }

    /// The sequences that do an action, each with the places where it does: no places where it does it wherever keys
    /// can. Those that another hides in every place are left out.
    pub fn keys_anywhere(&self, action: Action) -> impl Iterator<Item = (&[Key], Vec<Context>)> {
        self.keys(action).iter().filter_map(move |keys| {
            let usual: Vec<Context> =
                action.info().contexts.iter().copied().filter(|place| works(*place, keys)).collect();
            let left: Vec<Context> = usual.iter().copied().filter(|place| self.works(*place, action, keys)).collect();
            let whole = left.len() == usual.len();
            (!left.is_empty()).then_some((keys.as_slice(), if whole { Vec::new() } else { left }))
        })
    }

    /// The sequences that do an action in a place; none where it cannot be done there.
    pub fn keys_in(&self, context: Context, action: Action) -> impl Iterator<Item = &[Key]> {
        let here = action.info().contexts.contains(&context);
        self.keys(action).iter().map(Vec::as_slice).filter(move |keys| here && self.works(context, action, keys))
    }

    /// A keys file that says what the table says.
    #[must_use]
    pub fn sample() -> String {
        let mut out = String::new();
        for info in ACTIONS {
            let keys: Vec<String> =
                info.keys.iter().map(|written| toml::Value::String((*written).to_owned()).to_string()).collect();
            out.push_str(&format!("{} = [{}]  # {}\n", info.name, keys.join(", "), info.meaning));
        }
        out
    }

    fn works(&self, context: Context, action: Action, keys: &[Key]) -> bool {
        let hidden = |(other, held): &(Action, Vec<Key>)| {
            *other != action && other.info().contexts.contains(&context) && clash(held, keys)
        };
        works(context, keys) && !self.given.iter().any(hidden)
    }
}

/// Where text is typed, keys that type are text.
fn works(context: Context, keys: &[Key]) -> bool {
    !(context.takes_text() && keys.first().is_some_and(|key| key.typed().is_some()))
}

/// Whether two actions cannot both have these keys, because somewhere both would work.
fn clashes(one: Action, keys: &[Key], other: Action, others: &[Key]) -> bool {
    clash(keys, others)
        && one
            .info()
            .contexts
            .iter()
            .any(|context| other.info().contexts.contains(context) && works(*context, keys) && works(*context, others))
}

/// Whether one is the other or its beginning.
fn clash(one: &[Key], other: &[Key]) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

fn written(keys: &[Key]) -> String {
    keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "keymap_tests.rs"]
mod tests;
