//! Work that is too long for the thread that draws: colours of code, pictures.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use ratatui_image::sliced::SlicedProtocol;

use super::highlight::{self, Inks, highlight};
use super::picture::{PictureJob, picture};

/// Something to be made for the screen.
pub enum Job {
    /// Colours of a block of lines.
    Colours(highlight::Job),
    /// A picture.
    Picture(PictureJob),
}

/// What was made.
pub enum Done {
    /// Colours of a block of lines.
    Colours((u64, u32, u32), Vec<Inks>),
    /// A picture, or why there is none.
    Picture((Owner, u32), Box<Result<SlicedProtocol, String>>),
    /// Nothing: it was passed by for something newer.
    Nothing(Job),
}

/// Who asks for a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// An entry's text, by its number.
    Entry(u64),
    /// The view of documents.
    Document,
}

impl Job {
    /// Who asks for it.
    #[must_use]
    pub fn owner(&self) -> Owner {
        match self {
            Job::Colours(job) => Owner::Entry(job.key.0),
            Job::Picture(job) => job.key.0,
        }
    }

    fn is_of_entry(&self) -> bool {
        self.owner() != Owner::Document
    }

    /// Does the work.
    #[must_use]
    pub fn run(&self) -> Done {
        match self {
            Job::Colours(job) => Done::Colours(job.key, highlight(job)),
            Job::Picture(job) => Done::Picture(job.key, Box::new(picture(job))),
        }
    }

    /// What stands for it where making it came upon a fault: a text without colours, no picture.
    fn lost(&self) -> Done {
        match self {
            Job::Colours(job) => Done::Colours(job.key, Vec::new()),
            Job::Picture(job) => Done::Picture(job.key, Box::new(Err("a fault inside windowpane".to_owned()))),
        }
    }
}

impl Done {
    /// Whom it is for.
    #[must_use]
    pub fn owner(&self) -> Owner {
        match self {
            Done::Colours(key, _) => Owner::Entry(key.0),
            Done::Picture(key, _) => key.0,
            Done::Nothing(job) => job.owner(),
        }
    }
}

/// A thread that does jobs. It ends when this is dropped, after the job at hand.
pub struct Worker {
    jobs: Sender<Job>,
}

impl Worker {
    /// Starts the thread; `told` hears from it what was done.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn start(told: impl Fn(Done) + Send + 'static) -> std::io::Result<Worker> {
        Worker::start_with(Job::run, told)
    }

    fn start_with(
        run: impl Fn(&Job) -> Done + Send + 'static,
        told: impl Fn(Done) + Send + 'static,
    ) -> std::io::Result<Worker> {
        let (jobs, todo) = channel::<Job>();
        // A fault in one piece of work ends neither this thread nor the waiting for it.
        let made = move |job: &Job| catch_unwind(AssertUnwindSafe(|| run(job))).unwrap_or_else(|_| job.lost());
        let work = move || {
            while let Ok(mut job) = todo.recv() {
                // What an entry asked for that is no longer looked at is left; it asks anew when it is.
                while let Ok(newer) = todo.try_recv() {
                    // What another view asked for is still wanted when one comes back to it.
                    let passed = job.is_of_entry() == newer.is_of_entry();
                    let older = std::mem::replace(&mut job, newer);
                    told(if passed { Done::Nothing(older) } else { made(&older) });
                }
                told(made(&job));
            }
        };
        thread::Builder::new().name("detail".to_owned()).spawn(work)?;
        Ok(Worker { jobs })
    }

    /// Gives it a job; the newest is done next, and who asked for one that was still waiting hears that nothing came.
    pub fn ask(&self, job: Job) {
        // The thread ends only with this sender.
        let _ = self.jobs.send(job);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::sync::{Arc, Mutex};

    use super::super::content::Media;
    use super::*;

    fn job(owner: Owner, number: u32) -> Job {
        let media = Media { mime: "image/png".to_owned(), pixels: None, tokens: 0, bytes: 0, data: None };
        let picker = ratatui_image::picker::Picker::halfblocks();
        Job::Picture(PictureJob { key: (owner, number), media: Arc::new(media), picker, room: (9, 9), grow: 1 })
    }

    #[test]
    fn a_fault_in_one_job_is_told_and_the_next_is_done() {
        let (send, told) = mpsc::channel();
        let run = |job: &Job| match job {
            Job::Picture(PictureJob { key: (_, 1), .. }) => panic!("a fault"),
            job => job.run(),
        };
        let worker = Worker::start_with(run, move |done| _ = send.send(done)).unwrap();
        for (number, expected) in [(1, "a fault inside windowpane"), (2, "it is not in the transcript")] {
            worker.ask(job(Owner::Entry(7), number));
            let Ok(Done::Picture(key, made)) = told.recv() else { panic!("nothing is told") };
            assert_eq!((key, made.err().as_deref()), ((Owner::Entry(7), number), Some(expected)));
        }
    }

    #[test]
    fn who_is_passed_by_hears_of_it() {
        let (send, told) = mpsc::channel();
        let (open, gate) = mpsc::channel::<()>();
        let gate = Mutex::new(gate);
        let run = move |job: &Job| {
            gate.lock().unwrap().recv().unwrap();
            job.run()
        };
        let worker = Worker::start_with(run, move |done| _ = send.send(done)).unwrap();
        let asked = [Owner::Entry(1), Owner::Entry(2), Owner::Entry(3), Owner::Document];
        for (number, owner) in (0..).zip(asked) {
            worker.ask(job(owner, number));
        }
        for _ in asked {
            open.send(()).unwrap();
        }
        drop(worker);
        let mut heard: Vec<Owner> = told.iter().map(|done| done.owner()).collect();
        heard.sort_by_key(|owner| asked.iter().position(|asked| asked == owner));
        assert_eq!(heard, asked);
    }
}
