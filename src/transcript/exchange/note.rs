//! Notes that say that something of the history was left out, and nothing of what it said. Those are no summaries.

use std::collections::HashSet;

use crate::content::Sources;
use crate::model::{BlockId, BlockKind, Body, LEFT_OUT, Layer};
use crate::transcript::build::{Builder, Draft};
use crate::transcript::parts::Piece;

use super::conversation::tells;
use super::note_elsewhere::{
    AROUND_ELSEWHERE, ASKS_ELSEWHERE, REMOVES_ELSEWHERE, SIGNS_AROUND, SUMS_ELSEWHERE, TALK_ELSEWHERE,
};
use super::note_words::{AROUND, REMOVES, TALK};

/// Characters that no note has more of.
const NOTE: u64 = 600;
/// Of so many words one may be of what was left out by chance.
const CHANCE: usize = 8;
/// Of so many words one may be no word of notes.
const OWN: usize = 4;
/// Letters of a word that tells something of its own; numbers of more digits than so many do, too.
const TELLING: usize = 5;
const NUMBER: usize = 3;
/// What notes that are no sentence of a person's stand in, and how many words of their own they have at most.
const AROUND_IT: &[(char, char)] =
    &[('[', ']'), ('(', ')'), ('<', '>'), ('（', '）'), ('【', '】'), ('［', '］'), ('…', '…')];
const ENCLOSED: usize = 4;
/// Words of a note at most whose language nobody knows here.
const SAYING: usize = 14;

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
        let (lower, text) = (text.to_lowercase(), text.trim());
        let any = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
        let enclosed = enclosed(text);
        let said = any(REMOVES_ELSEWHERE) && any(TALK_ELSEWHERE);
        // "请注意" asks to note what follows.
        let asks = lower.replace("请注意", "").replace("請注意", "").replace("bitte beacht", "");
        let asks = ASKS_ELSEWHERE.iter().any(|part| asks.contains(part));
        if asks || text.ends_with(['?', '？', '؟']) || is_named(text) {
            return None;
        }
        if !said {
            // Of a language that nobody knows here, its form tells: brackets around one short saying.
            let alone = enclosed.is_some_and(is_short_saying) && !text.is_ascii() && !any(SUMS_ELSEWHERE);
            return alone.then(|| Told { words: 0, own: all.iter().cloned().collect(), met: 0 });
        }
        let is_note = |word: &str| {
            let has = |parts: &[&str]| parts.iter().any(|part| word.contains(part));
            has(REMOVES_ELSEWHERE) || has(TALK_ELSEWHERE) || is_of(word, AROUND_ELSEWHERE)
        };
        let is_long = |word: &&String| word.chars().count() >= TELLING && !is_note(word);
        let mut own: HashSet<String> = all.iter().filter(is_long).cloned().collect();
        let numbers = text.split(|sign: char| !sign.is_ascii_digit()).filter(|digits| digits.len() > NUMBER);
        own.extend(numbers.map(str::to_owned));
        let says_more = own.len() * OWN > all.len() && !(enclosed.is_some() && own.len() <= ENCLOSED);
        (!says_more && !is_told_in_signs(&lower)).then(|| Told { words: all.len(), own, met: 0 })
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

/// What brackets around a whole text enclose.
fn enclosed(text: &str) -> Option<&str> {
    let inside = |(opens, closes): &(char, char)| text.strip_prefix(*opens)?.strip_suffix(*closes);
    AROUND_IT.iter().find_map(inside)
}

/// Whether a text is one short saying that quotes nothing and leads to nothing.
fn is_short_saying(text: &str) -> bool {
    let says = |sign: char| matches!(sign, ':' | '：' | '"' | '`' | '“' | '„' | '«' | ';' | '；' | '\n');
    let words = text.split_whitespace().count();
    (2..=SAYING).contains(&words) && text.chars().count() <= SAYING * 10 && !text.contains(says)
}

/// Whether a text has a name of code or a path in it.
fn is_named(text: &str) -> bool {
    let is_name = |word: &str| {
        let has = |is: fn(char) -> bool| word.contains(is);
        word.contains(['_', '/']) || (has(|sign| sign.is_ascii_digit()) && has(|sign| sign.is_ascii_alphabetic()))
    };
    text.split_whitespace().any(is_name)
}

/// Whether Chinese or Japanese signs say more than that something was left out: there no blanks part the words.
fn is_told_in_signs(lower: &str) -> bool {
    let is_sign = |sign: &char| matches!(*sign, '\u{30a0}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    let all = lower.chars().filter(is_sign).count();
    let parts = REMOVES_ELSEWHERE.iter().chain(TALK_ELSEWHERE).filter(|part| part.chars().any(|sign| is_sign(&sign)));
    let rest = parts.fold(lower.to_owned(), |rest, part| rest.replace(part, " "));
    let own = rest.chars().filter(|sign| is_sign(sign) && !SIGNS_AROUND.contains(*sign)).count();
    own * OWN > all
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
            "[Předchozí zprávy byly odstraněny kvůli omezení délky kontextu]",
            "Starší zprávy byly vynechány.",
            "[Tidigare meddelanden har tagits bort för att spara utrymme]",
            "Äldre meddelanden har utelämnats.",
            "[تم حذف الرسائل السابقة بسبب حد السياق]",
            "تم حذف 12 رسالة سابقة",
            "[पिछले संदेश हटा दिए गए हैं]",
            "पुराने संदेश हटा दिए गए",
            "[Попередні повідомлення видалено]",
            "[Ранее было удалено 12 сообщений]",
            "较早的 20 条消息已被删除，以节省上下文空间。",
            "古い会話は省略されました。",
            "请注意：较早的消息已被删除。",
            // No word of these is known.
            "[Eldri skilaboð voru fjarlægð vegna plássleysis]",
            "[Ankstesnės žinutės pašalintos]",
        ] {
            assert!(is_note(note, lost), "{note}");
        }
        for other in [
            "请删除历史消息按钮",
            "把聊天页面上的删除按钮移到右边",
            "メッセージの削除ボタンを右に移動する",
            "메시지 삭제 버튼을 옮겨 주세요",
            "Odstraňte prosím tlačítko ze zpráv",
            "[Shrnutí: opravili jsme importér a přidali testy]",
            "[Yfirlit: lagaði innflutninginn og bætti við prófum]",
            "[Opravili jsme importer, klíč je K-5143 a port 8080]",
            "[Request interrupted by user]",
            "احذف زر الرسائل من فضلك",
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
