//! Notes that say that something of the history was left out, and nothing of what it said. Those are no summaries.

use std::collections::HashSet;

use crate::content::Sources;
use crate::model::{BlockId, BlockKind, Body, LEFT_OUT, Layer};
use crate::transcript::build::{Builder, Draft};
use crate::transcript::parts::Piece;

use super::conversation::tells;

/// Characters that no note has more of.
const NOTE: u64 = 600;
/// Of so many words one may be of what was left out by chance.
const CHANCE: usize = 8;
/// Of so many words one may be no word of notes.
const OWN: usize = 4;
/// Beginnings of words that say that something was left out.
const REMOVES: &[&str] = &[
    "clear", "compact", "cut", "delet", "discard", "drop", "elid", "evict", "exclud", "forgot", "hid", "left", "omit",
    "prun", "redact", "remov", "shorten", "skip", "snip", "strip", "trim", "truncat",
];
/// Beginnings of words for what was.
const TALK: &[&str] = &[
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
const AROUND: &[&str] = &[
    "about",
    "above",
    "accommodat",
    "again",
    "alread",
    "also",
    "answer",
    "any",
    "approx",
    "are",
    "assist",
    "automat",
    "avail",
    "aware",
    "because",
    "been",
    "before",
    "below",
    "beyond",
    "brevity",
    "budget",
    "cannot",
    "contin",
    "due",
    "earli",
    "early",
    "else",
    "exceed",
    "first",
    "fit",
    "fits",
    "follow",
    "for",
    "free",
    "from",
    "further",
    "had",
    "has",
    "have",
    "here",
    "initial",
    "intermed",
    "into",
    "its",
    "keep",
    "kept",
    "last",
    "latest",
    "length",
    "limit",
    "long",
    "longer",
    "made",
    "maint",
    "make",
    "manag",
    "many",
    "maxim",
    "middle",
    "mind",
    "model",
    "more",
    "most",
    "need",
    "newer",
    "newest",
    "not",
    "note",
    "now",
    "number",
    "old",
    "older",
    "oldest",
    "only",
    "optim",
    "origin",
    "other",
    "out",
    "part",
    "parts",
    "place",
    "please",
    "preserv",
    "previ",
    "prior",
    "recent",
    "reduc",
    "remain",
    "request",
    "retain",
    "room",
    "save",
    "saved",
    "saving",
    "size",
    "some",
    "space",
    "start",
    "still",
    "system",
    "task",
    "than",
    "that",
    "the",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "token",
    "too",
    "total",
    "until",
    "user",
    "was",
    "were",
    "when",
    "which",
    "while",
    "will",
    "window",
    "with",
    "within",
    "without",
    "you",
];

/// The same in other languages: parts of words that say that something was left out, and of words for what was.
const REMOVES_ELSEWHERE: &[&str] = &[
    "ausgelassen",
    "entfern",
    "gekürzt",
    "gelöscht",
    "weggelassen",
    "verworfen",
    "abrégé",
    "coupé",
    "effac",
    "supprim",
    "tronqu",
    "acort",
    "borr",
    "descart",
    "elimin",
    "omit",
    "recort",
    "suprim",
    "trunc",
    "cortad",
    "removid",
    "excluíd",
    "rimoss",
    "tagliat",
    "troncat",
    "ingekort",
    "verwijder",
    "weggelaten",
    "удал",
    "опущен",
    "обрезан",
    "сокращ",
    "скрыт",
    "usunięt",
    "pomini",
    "skrócon",
    "silindi",
    "kaldırıl",
    "kısaltıl",
    "删除",
    "省略",
    "截断",
    "清除",
    "移除",
    "裁剪",
    "刪除",
    "截斷",
    "削除",
    "切り捨て",
    "切り詰め",
    "삭제",
    "생략",
    "잘림",
    "제거",
];
const TALK_ELSEWHERE: &[&str] = &[
    "nachricht",
    "gespräch",
    "unterhaltung",
    "verlauf",
    "konversation",
    "kontext",
    "antwort",
    "échange",
    "historique",
    "contexte",
    "conversation",
    "mensaj",
    "conversac",
    "historial",
    "contexto",
    "mensag",
    "convers",
    "histórico",
    "messagg",
    "cronologia",
    "contesto",
    "berichten",
    "gesprek",
    "geschiedenis",
    "сообщен",
    "истори",
    "диалог",
    "переписк",
    "контекст",
    "wiadomoś",
    "rozmow",
    "histori",
    "mesaj",
    "konuşma",
    "geçmiş",
    "消息",
    "訊息",
    "对话",
    "對話",
    "历史",
    "歷史",
    "上下文",
    "聊天",
    "メッセージ",
    "会話",
    "履歴",
    "文脈",
    "메시지",
    "대화",
    "기록",
    "맥락",
];
/// Letters of a word that tells something of its own; numbers of more digits than so many do, too.
const TELLING: usize = 5;
const NUMBER: usize = 3;
/// What notes that are no sentence of a person's stand in, and how many words of their own they have at most.
const AROUND_IT: &[(char, char)] =
    &[('[', ']'), ('(', ')'), ('<', '>'), ('（', '）'), ('【', '】'), ('［', '］'), ('…', '…')];
const ENCLOSED: usize = 4;

/// Which of the pieces of a request are notes of what it leaves out of a window: new texts, not the last, with no words
/// of what is gone.
pub(super) fn notes(
    sources: &Sources,
    builder: &Builder,
    window: &[BlockId],
    reused: &[Option<BlockId>],
    pieces: &[&Piece],
) -> HashSet<usize> {
    let kept: HashSet<BlockId> = reused.iter().flatten().copied().collect();
    let block = |id: &BlockId| builder.transcript.block(*id).filter(|block| tells(block.layer));
    let mut lost = window.iter().filter(|id| !kept.contains(id)).filter_map(block).peekable();
    if lost.peek().is_none() {
        return HashSet::new();
    }
    let is_new = |(at, piece): &(usize, &&Piece)| {
        let short = matches!(&piece.draft.body, Body::Text { chars, .. } if *chars <= NOTE);
        let said = piece.draft.kind == BlockKind::Text && matches!(piece.draft.layer, Layer::User | Layer::Assistant);
        short && said && at + 1 < pieces.len() && reused.get(*at).is_none_or(Option::is_none)
    };
    let text = |body: &Body| sources.body_text(body).ok();
    let new = pieces.iter().enumerate().filter(is_new);
    let new: Vec<(usize, String)> = new.filter_map(|(at, piece)| Some((at, text(&piece.draft.body)?))).collect();
    let mut notes: Vec<(usize, Told)> = new.iter().filter_map(|(at, text)| Some((*at, Told::of(text)?))).collect();
    // What was lost is only read where something may be a note of it.
    while !notes.is_empty()
        && let Some(block) = lost.next()
    {
        let Some(said) = text(&block.body) else { continue };
        let said: HashSet<String> = words(&said).collect();
        notes.iter_mut().for_each(|(_, note)| note.meet(&said));
        notes.retain(|(_, note)| note.is_note());
    }
    notes.into_iter().map(|(at, _)| at).collect()
}

/// A note as it enters the window.
pub(super) fn note(draft: Draft) -> Draft {
    Draft { layer: Layer::Notices, label: LEFT_OUT.to_owned(), ..draft }
}

/// A text that says that something was left out.
struct Told {
    /// How many words it has.
    words: usize,
    /// Those that a note need not have.
    own: HashSet<String>,
    /// How many of those are words of what was left out.
    met: usize,
}

impl Told {
    /// `None` where the text says nothing of the kind.
    fn of(text: &str) -> Option<Told> {
        let all: Vec<String> = words(text).collect();
        let any = |begins: &[&str]| all.iter().any(|word| is_of(word, begins));
        if !any(REMOVES) || !any(TALK) {
            return Told::elsewhere(text, &all);
        }
        // Figures beside what they count are words of a note.
        let counts = |at: usize| all.get(at + 1..).unwrap_or_default().iter().take(2).any(|word| is_of(word, TALK));
        let is_figure = |word: &str| word.chars().all(|sign| sign.is_ascii_digit());
        let own = all.iter().enumerate().filter(|(at, word)| match is_figure(word) {
            true => !counts(*at) && !all.get(at + 1).is_some_and(|next| is_of(next, &["token", "char"])),
            false => !is_of(word, REMOVES) && !is_of(word, TALK) && !is_around(word),
        });
        let own = own.map(|(_, word)| word.clone()).collect();
        let told = Told { words: all.len(), own, met: 0 };
        // What has many words of its own says something else, be it in other words than what is gone.
        (told.own.len() * OWN <= told.words).then_some(told)
    }

    /// The same in another language. Which of its words only join others nobody tells here: few may be long, more in
    /// brackets; and where there is a name it says more than that something is gone.
    fn elsewhere(text: &str, all: &[String]) -> Option<Told> {
        let lower = text.to_lowercase();
        let any = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
        if !any(REMOVES_ELSEWHERE) || !any(TALK_ELSEWHERE) {
            return None;
        }
        let is_note = |word: &str| {
            let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
            has(REMOVES_ELSEWHERE) || has(TALK_ELSEWHERE)
        };
        let is_long = |word: &&String| word.chars().count() >= TELLING && !is_note(word);
        let mut own: HashSet<String> = all.iter().filter(is_long).cloned().collect();
        let numbers = text.split(|sign: char| !sign.is_ascii_digit()).filter(|digits| digits.len() > NUMBER);
        own.extend(numbers.map(str::to_owned));
        let is_name = |word: &str| {
            let has = |is: fn(char) -> bool| word.contains(is);
            word.contains(['_', '/']) || (has(|sign| sign.is_ascii_digit()) && has(|sign| sign.is_ascii_alphabetic()))
        };
        let named = text.split_whitespace().any(is_name);
        let text = text.trim();
        let is_enclosed = AROUND_IT.iter().any(|(opens, closes)| text.starts_with(*opens) && text.ends_with(*closes));
        let says_more = own.len() * OWN > all.len() && !(is_enclosed && own.len() <= ENCLOSED);
        (!named && !says_more).then(|| Told { words: all.len(), own, met: 0 })
    }

    fn meet(&mut self, said: &HashSet<String>) {
        let before = self.own.len();
        self.own.retain(|word| !said.contains(word));
        self.met += before - self.own.len();
    }

    fn is_note(&self) -> bool {
        self.met * CHANCE <= self.words
    }
}

fn is_of(word: &str, begins: &[&str]) -> bool {
    begins.iter().any(|begin| word.starts_with(begin))
}

fn is_around(word: &str) -> bool {
    AROUND.iter().any(|known| if known.len() > 4 { word.starts_with(known) } else { word == *known })
}

/// The words of three letters and more and the figures of a text, in small letters.
fn words(text: &str) -> impl Iterator<Item = String> {
    let all = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    let all = all.filter(|word| word.chars().count() > 2 || word.chars().any(|sign| sign.is_ascii_digit()));
    all.map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_note(text: &str, lost: &str) -> bool {
        let said: HashSet<String> = words(lost).collect();
        Told::of(text).is_some_and(|mut told| {
            told.meet(&said);
            told.is_note()
        })
    }

    #[test]
    fn a_note_says_that_something_is_gone_and_not_what() {
        let lost = "Good, step 12: now do part_4 of the importer with key K-5143 and port 8080; the user maintains it.";
        for note in [
            "[NOTE] Some previous conversation history with the user has been removed to maintain optimal context window \
             length. The initial user task has been retained for continuity, while intermediate conversation history has \
             been removed. Keep this in mind as you continue assisting the user.",
            "[Conversation truncated: 12 messages removed]",
            "(earlier messages omitted)",
            "... 14 turns dropped, 8080 tokens ...",
            "Note: older messages were cut to fit the context window.",
        ] {
            assert!(is_note(note, lost), "{note}");
        }
        for note in [
            "[12 ältere Nachrichten wurden entfernt]",
            "[Frühere Nachrichten wurden gekürzt, um Platz zu sparen]",
            "[Messages précédents supprimés : 12 échanges]",
            "[Se han eliminado 14 mensajes anteriores]",
            "[Ранние сообщения удалены: 14]",
            "[此前的 14 条消息已省略]",
            "（以前の会話は省略されました）",
            "[이전 대화 기록이 삭제됨]",
        ] {
            assert!(is_note(note, lost), "{note}");
        }
        for other in [
            "Frühere Nachrichten wurden entfernt. Der Importer lauscht auf Port 8080, der Schlüssel ist K-5143.",
            "此前的消息已删除：网关端口是 8080，密钥 K-5143",
            "Bitte entferne den Knopf von der Seite mit den Nachrichten und füge einen Verweis zur Anmeldung hinzu",
        ] {
            assert!(!is_note(other, lost), "{other}");
        }
        for other in [
            "Summary of the conversation so far: parts 1 to 4 of the importer are done",
            "Earlier messages were removed. The importer listens on port 8080.",
            "Earlier messages were removed; we dealt with authentication.",
            "The history was truncated: part_4 of the importer has key K-5143.",
            "Please remove the button from the chat page and add a link to the login form of the shop",
            "Good.",
        ] {
            assert!(!is_note(other, lost), "{other}");
        }
    }
}
