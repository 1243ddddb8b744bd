//! Rules of the format, each over a few records written by hand.
