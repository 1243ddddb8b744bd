//! The words of notes that say that something of a history was left out.

/// Beginnings of words that say that something was left out.
pub(super) const REMOVES: &[&str] = &[
    "clear", "compact", "cut", "delet", "discard", "drop", "elid", "evict", "exclud", "forgot", "hid", "left", "omit",
    "prun", "redact", "remov", "shorten", "skip", "snip", "strip", "trim", "truncat",
];
/// Beginnings of words for what was.
pub(super) const TALK: &[&str] = &[
    "chat",
    "context",
    "convers",
    "dialog",
    "discuss",
    "exchange",
    "histor",
    "interact",
    "message",
    "repl",
    "respons",
    "round",
    "transcript",
    "turn",
];
/// Further words with which notes go about it, those of more than four letters by their beginnings: no subject has them
/// for itself.
pub(super) const AROUND: &[&str] = &[
    "about", "above", "accommod", "again", "alread", "also", "answer", "any", "approx", "are", "assist", "automat",
    "avail", "aware", "because", "been", "before", "below", "beyond", "brevity", "budget", "cannot", "contin", "due",
    "earli", "early", "else", "exceed", "first", "fit", "fits", "follow", "for", "free", "from", "further", "had",
    "has", "have", "here", "initial", "intermed", "into", "its", "keep", "kept", "last", "latest", "length", "limit",
    "long", "longer", "made", "maint", "make", "manag", "many", "maxim", "middle", "mind", "model", "more", "most",
    "need", "newer", "newest", "not", "note", "now", "number", "old", "older", "oldest", "only", "optim", "origin",
    "other", "out", "part", "parts", "place", "please", "preserv", "previ", "prior", "recent", "reduc", "remain",
    "request", "retain", "room", "save", "saved", "saving", "size", "some", "space", "start", "still", "system",
    "task", "than", "that", "the", "then", "there", "these", "they", "this", "those", "token", "too", "total", "until",
    "user", "was", "were", "when", "which", "while", "will", "window", "with", "within", "without", "you",
];
