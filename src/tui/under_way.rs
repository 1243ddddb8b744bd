//! What the threads beside the screen are working at, and how far they are: each for itself, since several work at
//! once.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use crate::content::Watch;

use super::message::Message;
use super::runner::News;

/// What kind of work it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// A file is read.
    Opening,
    /// Tokens are counted, or what a replay needs is read.
    Counting,
    /// Settings are tried.
    Trying,
    /// Something that tells of itself, but for a model that is asked for it.
    Silent,
}

/// The work under way.
pub(super) struct UnderWay {
    works: Mutex<Vec<(u64, Task, Arc<Watch>)>>,
    next: AtomicU64,
    sender: Sender<News>,
}

/// One work, until this is dropped.
pub(super) struct Working<'a>(&'a UnderWay, u64);

impl UnderWay {
    /// None yet.
    pub fn new(sender: Sender<News>) -> Self {
        UnderWay { works: Mutex::default(), next: AtomicU64::new(0), sender }
    }

    fn tell(&self, message: Message) {
        // Nobody listens any more only when the program ends.
        let _ = self.sender.send(News::Message(message));
    }

    /// Begins a work. The screen is woken: it asks for the progress only while it knows of any.
    pub fn begin(&self, task: Task, watch: &Arc<Watch>) -> Working<'_> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.works.lock().unwrap_or_else(PoisonError::into_inner).push((number, task, Arc::clone(watch)));
        self.tell(Message::Works);
        Working(self, number)
    }

    /// How far the work is: that a model is asked goes before figures, and newer work before older; `None` where there
    /// is none.
    #[must_use]
    pub fn progress(&self) -> Option<Message> {
        let works = self.works.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((doing, watch)) = works.iter().rev().find_map(|(_, _, watch)| Some((watch.said()?, watch))) {
            let (done, total) = watch.progress();
            return Some(Message::Doing(doing, done, total));
        }
        let (_, task, watch) = works.iter().rev().find(|(_, task, _)| *task != Task::Silent).or(works.last())?;
        let (done, total) = watch.progress();
        Some(match task {
            Task::Opening => Message::Progress(done, total),
            Task::Counting => Message::Counting(done, total),
            Task::Trying => Message::Trying(done, total),
            Task::Silent => Message::Works,
        })
    }

    /// Stops all of it, but for work that goes on without a part of it, and says so where it was said what is done.
    pub fn stop(&self) {
        let works = self.works.lock().unwrap_or_else(PoisonError::into_inner);
        let mut words = None;
        for (_, _, watch) in works.iter() {
            let said = watch.said();
            let without = watch.leave().map_or_else(String::new, |without| format!(": {without}"));
            words = said.map(|said| format!("stopped {said}{without}")).or(words);
        }
        drop(works);
        if let Some(words) = words {
            self.tell(Message::Done(Ok(words)));
        }
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let mut works = self.0.works.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = |works: &[(u64, Task, Arc<Watch>)]| works.iter().any(|(_, task, _)| *task == Task::Counting);
        let counted = counts(&works);
        works.retain(|(number, ..)| *number != self.1);
        // However it ended, its figure is no longer drawn.
        let ended = counted && !counts(&works);
        drop(works);
        self.0.tell(if ended { Message::Counting(0, 0) } else { Message::Works });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn one_work_that_ends_hides_no_other_and_a_stop_is_said() {
        let (sender, told) = channel();
        let under_way = UnderWay::new(sender);
        let (one, other) = (Arc::new(Watch::default()), Arc::new(Watch::default()));
        assert!(under_way.progress().is_none());
        let asking = under_way.begin(Task::Silent, &one);
        assert!(matches!(told.try_recv(), Ok(News::Message(Message::Works))), "it wakes the screen");
        let counting = under_way.begin(Task::Counting, &other);
        other.expect(9);
        assert!(matches!(under_way.progress(), Some(Message::Counting(0, 9))));
        one.say("asking a-model");
        drop(counting);
        let asking_of = |message| matches!(message, Message::Doing(said, 0, 0) if said == "asking a-model");
        assert!(under_way.progress().is_some_and(asking_of));
        assert!(told.try_iter().any(|news| matches!(news, News::Message(Message::Counting(0, 0)))), "no figure stands");
        under_way.stop();
        assert!(one.is_cancelled());
        let stopped = |news| matches!(news, News::Message(Message::Done(Ok(said))) if said == "stopped asking a-model");
        assert!(told.try_iter().any(stopped));
        drop(asking);
        assert!(under_way.progress().is_none());
    }

    #[test]
    fn a_file_whose_reading_is_stopped_is_left_out_and_the_rest_goes_on() {
        let (sender, told) = channel();
        let (under_way, watch) = (UnderWay::new(sender), Arc::new(Watch::default()));
        let _opening = under_way.begin(Task::Opening, &watch);
        watch.say("reading large.json");
        watch.begin_part("it is left out");
        watch.expect(1_000);
        watch.reach(120);
        let reading = |message| matches!(message, Message::Doing(said, 120, 1_000) if said == "reading large.json");
        assert!(under_way.progress().is_some_and(reading), "its own progress");
        under_way.stop();
        let left = "stopped reading large.json: it is left out";
        assert!(told.try_iter().any(|news| matches!(news, News::Message(Message::Done(Ok(said))) if said == left)));
        assert!(watch.is_cancelled() && watch.end_part() && !watch.is_cancelled());
    }
}
