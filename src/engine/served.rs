//! Which model answers each request: a session may go over to another one, which has its own prices and its own cache.

use std::collections::HashMap;

use crate::model::Thread;
use crate::tokens::ModelInfo;

use super::known::main_model;
use super::{Known, Plan};

/// The models of a thread's requests.
#[derive(Clone, Debug, Default)]
pub struct Served {
    /// What the table has of each; `None` where it has none of that name.
    models: Vec<Option<ModelInfo>>,
    /// Per step, which of them.
    steps: Vec<u32>,
    /// The one that most requests name.
    usual: u32,
}

impl Served {
    /// By the model that is wished for, else the one that each request names, else that of the request before it.
    #[must_use]
    pub fn of(known: &Known, thread: &Thread, plan: &Plan) -> Served {
        let mut served = Served::default();
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let mut number = |name: Option<&str>| {
            let name = known.model.as_deref().or(name).unwrap_or_default();
            if let Some(number) = numbers.get(name) {
                return *number;
            }
            let info = known.models.find(name).map(|found| found.info);
            // One model may be named in several ways, by its date and its provider.
            let same = info.and_then(|info| numbers.get(&info.name)).copied();
            let number = same.unwrap_or_else(|| {
                served.models.push(info.cloned());
                super::plan::index(served.models.len()) - 1
            });
            numbers.extend(info.map(|info| (info.name.clone(), number)));
            numbers.insert(name.to_owned(), number);
            number
        };
        let usual = main_model(thread);
        let mut last = plan.asks.iter().find_map(|ask| ask.model.as_deref()).or(usual);
        let mut steps = Vec::with_capacity(plan.asks.len());
        for ask in &plan.asks {
            last = ask.model.as_deref().or(last);
            steps.push(number(last));
        }
        let usual = number(usual);
        (served.steps, served.usual) = (steps, usual);
        served
    }

    /// The number of the model that answers a step. Steps of the same number share a prompt cache.
    #[must_use]
    pub fn number(&self, step: u32) -> u32 {
        let at = (step as usize).checked_sub(1);
        at.and_then(|at| self.steps.get(at)).copied().unwrap_or(self.usual)
    }

    /// What the table has of the model that answers a step.
    #[must_use]
    pub fn model(&self, step: u32) -> Option<&ModelInfo> {
        self.models.get(self.number(step) as usize)?.as_ref()
    }

    /// What the table has of the model that most requests name.
    #[must_use]
    pub fn usual(&self) -> Option<&ModelInfo> {
        self.models.get(self.usual as usize)?.as_ref()
    }
}
