//! Work that is too long for the thread that draws: colours of code, pictures.

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
    Picture((u64, u32), Box<Result<SlicedProtocol, String>>),
}

/// Who asks for a picture and is no entry.
pub const NO_ENTRY: u64 = 0;

impl Job {
    fn is_of_entry(&self) -> bool {
        !matches!(self, Job::Picture(job) if job.key.0 == NO_ENTRY)
    }

    /// Does the work.
    #[must_use]
    pub fn run(&self) -> Done {
        match self {
            Job::Colours(job) => Done::Colours(job.key, highlight(job)),
            Job::Picture(job) => Done::Picture(job.key, Box::new(picture(job))),
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
        let (jobs, todo) = channel::<Job>();
        let work = move || {
            while let Ok(mut job) = todo.recv() {
                // What an entry asked for that is no longer looked at is left.
                while let Ok(newer) = todo.try_recv() {
                    // What another view asked for is still wanted when one comes back to it.
                    if job.is_of_entry() != newer.is_of_entry() {
                        told(job.run());
                    }
                    job = newer;
                }
                told(job.run());
            }
        };
        thread::Builder::new().name("detail".to_owned()).spawn(work)?;
        Ok(Worker { jobs })
    }

    /// Gives it a job; the newest is done next, and one that was still waiting is forgotten.
    pub fn ask(&self, job: Job) {
        // The thread ends only with this sender.
        let _ = self.jobs.send(job);
    }
}
