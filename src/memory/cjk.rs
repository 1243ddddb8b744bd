//! What Chinese and Japanese deny, where each sign is a word of its own, and how they and Korean name units.

use std::ops::Range;

/// What denies what follows it, longer ones first.
const DENIES: &[&str] = &[
    "没有", "沒有", "并非", "並非", "绝非", "从未", "尚未", "未能", "无法", "無法", "禁止", "请勿", "切勿", "没", "沒",
    "不", "未", "無", "无", "勿",
];

/// Words that begin or end with one of those and deny nothing.
const NO_DENIALS: &[&str] = &[
    "不仅",
    "不僅",
    "不但",
    "不只",
    "不过",
    "不過",
    "不断",
    "不斷",
    "不同",
    "不少",
    "不错",
    "不錯",
    "不久",
    "不管",
    "不论",
    "不論",
    "不得不",
    "不得已",
    "不然",
    "不妨",
    "差不多",
    "对不起",
    "了不起",
    "要不",
    "没关系",
    "没事",
    "未来",
    "未來",
    "未必",
    "无论",
    "無論",
    "无非",
    "从不得",
    "不一定",
    "不如",
    // "Do not forget to" asks for it.
    "不要忘",
    "不要忘记",
    "不忘",
    "不能忘",
    "勿忘",
    "请勿忘",
    "切勿忘",
    "没忘",
    "没有忘",
    "沒有忘",
    "未忘",
];

/// Signs that in Japanese only begin a word.
const PREFIXES: &[&str] = &["不", "未", "無", "无"];
/// Words of Chinese that begin so, and from which of their signs to which, the next word's too, they deny.
const COMPOUNDS: &[(&str, usize, usize)] =
    &[("无人", 1, 2), ("無人", 1, 2), ("无服务器", 1, 4), ("無伺服器", 1, 4), ("未经", 2, 4), ("未經", 2, 4)];
/// What Chinese says of mistakes: they were so, and no more.
const MENDS: &[&str] = &["修复", "修復", "修正", "解决", "解決", "处理", "處理", "排除", "改正"];
/// Words that 就 is a sign of.
const READY: &[&str] = &["就绪", "就緒", "就地", "成就"];

/// Ends of verbs in Japanese that deny them, and what stands before some that do not.
const DENIED: &[&str] = &["ません", "なかった", "ない", "せず"];
const NOT_DENIED: &[&str] = &["かもしれ", "に違い", "にちがい", "なければ", "なくては", "ないと", "少", "に過ぎ"];
/// Signs behind which a verb of Japanese begins.
const PARTICLES: &[&str] = &["は", "が", "を", "に", "も", "で", "と", "、"];

/// Signs that say nothing by themselves.
const EMPTY: &[&str] = &[
    "有", "是", "的", "了", "在", "会", "能", "可", "以", "要", "都", "也", "就", "和", "与", "被", "把", "为", "将",
    "着", "到", "已", "经", "个", "得", "は", "が", "を", "に", "の", "で", "と", "も", "し", "た", "て", "ま", "す",
    "せ", "ん", "な", "い", "か", "っ",
];

/// Words with such a sign that say something with it.
const WHOLE: &[&str] = &[
    "就绪", "就緒", "可用", "可靠", "可见", "可見", "可写", "可寫", "可读", "可讀", "可达", "可達", "可行", "可信",
    "可逆", "存在", "在线", "在線", "到期", "到达", "到達", "到位", "有效", "有権", "有权", "有權", "有用", "有空",
    "有序", "有害", "有効",
];

/// Opposites, row by row: what says the one says that the other is not so.
const OPPOSITES: &[[&[&str]; 2]] = &[
    [&["启用", "啟用", "有効"], &["禁用", "停用", "無効"]],
    [&["允许", "允許", "許可"], &["禁止", "拒绝", "拒絕", "拒否"]],
    [&["成功"], &["失败", "失敗"]],
    [&["开启", "開啟", "打开", "打開"], &["关闭", "關閉"]],
    [&["开始", "開始", "启动", "啟動", "起動"], &["停止", "结束", "結束", "終了"]],
    [
        &["增加", "增长", "增長", "增大", "提高", "上升", "上昇", "増加", "増大"],
        &["减少", "減少", "降低", "下降", "缩小", "縮小"],
    ],
    [&["添加", "新增", "追加", "创建", "創建", "作成"], &["删除", "刪除", "移除", "削除"]],
    [&["上传", "上傳"], &["下载", "下載"]],
    [&["加密"], &["解密"]],
    [&["导入"], &["导出"]],
    [&["公开", "公開"], &["私有", "非公开", "非公開"]],
    [&["同步", "同期"], &["异步", "異步", "非同步", "非同期"]],
    [&["最大", "最多"], &["最小", "最少"]],
    [&["升级", "升級"], &["降级", "降級"]],
    [&["安装", "安裝"], &["卸载", "卸載"]],
    [&["锁定", "鎖定"], &["解锁", "解鎖"]],
    [&["有效"], &["无效", "無效", "失效"]],
    [&["内部", "內部"], &["外部"]],
];

/// Words that begin what is told besides: what was denied before them is denied no more.
const BESIDES: &[&str] = &["而", "但", "却", "卻", "則", "则"];
/// Signs besides those that say nothing which may stand between what denies and what it denies.
const BETWEEN: &[&str] = &["再", "成", "功", "自", "动", "動"];
/// What came to nothing was not done.
const FAILED: &[&str] = &["失败", "失敗"];
/// What joins what is told besides to what goes before, and words with such a sign that join nothing.
const ALSO: &[&str] = &["并", "並", "且"];
const NOT_ALSO: &[&str] =
    &["合并", "合並", "并发", "並發", "并行", "並行", "并列", "並列", "并入", "並入", "并非", "並非", "暂且", "尚且"];
/// Signs by which something is told as done: what is denied by 未 or 没 never has them.
const IS_DONE: &[&str] = &["了", "已"];
/// Signs between a word of Japanese and what denies it behind: "公開されていない".
const BEHIND: usize = 7;

/// A word of [`OPPOSITES`] in a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opposite {
    /// Its place among the words of the clause.
    pub at: usize,
    /// Its row in [`OPPOSITES`].
    pub row: usize,
    /// Its side there, the other where it is denied; `None` where a denial may be of it or of something else.
    pub side: Option<usize>,
}

/// Whether a sign begins what is told besides.
pub(super) fn begins_besides(word: &str) -> bool {
    BESIDES.contains(&word)
}

/// Whether a clause says that what it speaks of came to nothing, which may be told as its not being done.
pub(super) fn fails(words: &[&str]) -> bool {
    let failed = |at: usize| FAILED.iter().any(|word| stands_at(words, at, word));
    (0..words.len()).any(failed) && !(0..words.len()).any(|at| denied_from(words, at).is_some())
}

/// Where it begins, from a word on, that something is told as done besides what is denied: "did not enable the cache and
/// closed the log".
fn done_besides(words: &[&str], from: usize) -> Option<usize> {
    let is_of = |at: usize| {
        let begins =
            |from: usize| NOT_ALSO.iter().any(|word| from + word.chars().count() > at && stands_at(words, from, word));
        (at.saturating_sub(1)..=at).any(begins)
    };
    let at = (from..words.len()).find(|at| ALSO.contains(&words[*at]) && !is_of(*at))?;
    words.get(at..)?.iter().any(|word| IS_DONE.contains(word)).then_some(at)
}

/// The opposites of a clause.
pub(super) fn opposites(words: &[&str]) -> Vec<Opposite> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        at += match opposite_at(words, at) {
            Some((length, row, side)) => {
                let name = at..at + length;
                let side = is_denied(words, &name).map(|is| if is { 1 - side } else { side });
                found.push(Opposite { at, row, side });
                length
            }
            None => 1,
        };
    }
    found
}

/// The opposite that begins at a word: how many signs that is, its row and its side there.
fn opposite_at(words: &[&str], at: usize) -> Option<(usize, usize, usize)> {
    if !words.get(at).is_some_and(|word| is_sign(word)) {
        return None;
    }
    let rows = OPPOSITES.iter().enumerate().flat_map(|(row, sides)| (0..2).map(move |side| (row, side, sides[side])));
    let found = rows.flat_map(|(row, side, names)| names.iter().map(move |name| (row, side, *name)));
    let (row, side, name) =
        found.filter(|(.., name)| stands_at(words, at, name)).max_by_key(|(.., name)| name.len())?;
    Some((name.chars().count(), row, side))
}

/// Whether a clause denies what some words of it say; `None` where that is not certain.
fn is_denied(words: &[&str], name: &Range<usize>) -> Option<bool> {
    let between = |range: Range<usize>, is: &dyn Fn(&str) -> bool| {
        words.get(range).is_some_and(|words| words.iter().all(|word| is(word)))
    };
    let is_failed = |at: usize| FAILED.iter().any(|word| stands_at(words, at, word));
    let mut denied = false;
    for at in (0..words.len()).filter(|at| !name.contains(at)) {
        if is_failed(at) {
            return None;
        }
        let Some(reach) = denied_from(words, at) else { continue };
        if at < name.start && reach.to.is_some_and(|to| to <= name.start) && reach.from > at {
            continue;
        }
        let near = at < name.start
            && reach.from <= name.start
            && between(reach.from..name.start, &|word| is_empty(word) || BETWEEN.contains(&word));
        let behind = at >= name.end
            && reach.from <= name.start
            && at - name.end <= BEHIND
            && between(name.end..at, &|word| is_kana(word) || word == "化");
        if denied || reach.aside || !(near || behind) {
            return None;
        }
        denied = true;
    }
    Some(denied)
}

/// Whether a sign that says nothing by itself makes a word with the next.
pub(super) fn is_whole(word: &str, next: &str) -> bool {
    WHOLE.iter().any(|whole| whole.strip_prefix(word) == Some(next))
}

/// Units of durations and amounts, longer ones first: how they are written, and what each is called.
const UNITS: &[(&str, &str)] = &[
    ("毫秒", "ms"),
    ("微秒", "us"),
    ("秒钟", "s"),
    ("分钟", "min"),
    ("分鐘", "min"),
    ("分間", "min"),
    ("秒間", "s"),
    ("小时", "h"),
    ("小時", "h"),
    ("時間", "h"),
    ("日間", "day"),
    ("週間", "week"),
    ("星期", "week"),
    ("个月", "month"),
    ("個月", "month"),
    ("ヶ月", "month"),
    ("か月", "month"),
    ("年間", "year"),
    ("美元", "$"),
    ("欧元", "\u{20ac}"),
    ("秒", "s"),
    ("分", "min"),
    ("天", "day"),
    ("日", "day"),
    ("周", "week"),
    ("週", "week"),
    ("年", "year"),
    ("元", "yuan"),
    ("円", "\u{a5}"),
    // Korean has them in one word with what follows.
    ("밀리초", "ms"),
    ("시간", "h"),
    ("주일", "week"),
    ("주간", "week"),
    ("개월", "month"),
    ("퍼센트", "%"),
    ("프로", "%"),
    ("달러", "$"),
    ("유로", "\u{20ac}"),
    ("초", "s"),
    ("분", "min"),
    ("일", "day"),
    ("주", "week"),
    ("년", "year"),
    ("원", "won"),
    ("엔", "\u{a5}"),
];

/// What Korean puts behind a unit without another sense.
const ENDINGS: &[&str] = &[
    "",
    "이",
    "가",
    "은",
    "는",
    "을",
    "를",
    "에",
    "의",
    "도",
    "로",
    "으로",
    "에서",
    "까지",
    "부터",
    "마다",
    "간",
    "동안",
    "씩",
    "임",
    "이다",
    "입니다",
    "이며",
    "이고",
    "이었다",
    "였다",
    "이었습니다",
    "였습니다",
    "정도",
];

/// Whether a word is one sign of a script without blanks between words.
pub(super) fn is_sign(word: &str) -> bool {
    let mut signs = word.chars();
    let one = signs.next().is_some_and(|sign| matches!(sign, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}'));
    one && signs.next().is_none()
}

/// Whether a sign says nothing by itself.
pub(super) fn is_empty(sign: &str) -> bool {
    EMPTY.contains(&sign)
}

/// Whether words are, from a place on, the signs of a text.
fn stands_at(words: &[&str], at: usize, text: &str) -> bool {
    let mut words = words.get(at..).unwrap_or_default().iter();
    text.char_indices().all(|(at, sign)| {
        let own = text.get(at..at + sign.len_utf8()).unwrap_or_default();
        words.next().is_some_and(|word| *word == own)
    })
}

/// What is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    /// The first word that is.
    pub from: usize,
    /// One past the last; where that is not told, all of the clause.
    pub to: Option<usize>,
    /// Whether it tells only which thing is meant ("the error that one cannot log in"), and so of no event.
    pub aside: bool,
}

/// Where a text stands first, from a word on.
fn find(words: &[&str], from: usize, text: &str) -> Option<usize> {
    (from..words.len()).find(|at| stands_at(words, *at, text))
}

fn is_kana(word: &str) -> bool {
    word.starts_with(|sign| matches!(sign, '\u{3041}'..='\u{30FA}'))
}

/// The words that a sign denies which begins what denies.
pub(super) fn denied_from(words: &[&str], at: usize) -> Option<Reach> {
    if !words.get(at).is_some_and(|word| is_sign(word)) {
        return None;
    }
    // A word may begin before the sign that seems to deny.
    let is_within = |list: &[&str], back: usize| {
        (at.saturating_sub(back)..=at).any(|from| {
            let reaches = |text: &&&str| from + text.chars().count() > at && stands_at(words, from, text);
            list.iter().any(|text| reaches(&text))
        })
    };
    if let Some(text) = DENIES.iter().find(|text| stands_at(words, at, text)) {
        // "能不能" asks.
        let asks = at > 0 && words.get(at - 1) == words.get(at + 1);
        let reach = || match words.iter().any(|word| is_kana(word)) && PREFIXES.contains(text) {
            true => prefixed(words, at + 1),
            false => chinese(words, at, text),
        };
        return (!asks && !is_within(NO_DENIALS, 3)).then(reach);
    }
    let text = DENIED.iter().find(|text| stands_at(words, at, text))?;
    let end = at + text.chars().count();
    let near = at.saturating_sub(6);
    let unlike = (near..end).any(|from| NOT_DENIED.iter().any(|text| stands_at(words, from, text)));
    let begins = (0..at).rev().find(|before| PARTICLES.contains(&words[*before])).map_or(0, |before| before + 1);
    (!unlike).then_some(Reach { from: begins, to: Some(end), aside: false })
}

/// A word of two signs, as most that begin with a prefix of Japanese go on.
fn prefixed(words: &[&str], from: usize) -> Reach {
    let own = words.get(from..).unwrap_or_default().iter().take(2);
    let signs = own.take_while(|word| is_sign(word) && !is_kana(word)).count();
    Reach { from, to: Some(from + signs), aside: false }
}

/// What a word of Chinese at a place denies: a part of its own word, what comes before 的 or 就, or all that follows.
fn chinese(words: &[&str], at: usize, text: &str) -> Reach {
    let from = at + text.chars().count();
    let sure = |to: Option<usize>| Reach { from, to, aside: false };
    if let Some((_, first, past)) = COMPOUNDS.iter().find(|(word, ..)| stands_at(words, at, word)) {
        return Reach { from: at + first, to: Some((at + past).min(words.len())), aside: false };
    }
    // "Without tests it was deployed"
    let is_ready =
        |at: usize| READY.iter().any(|word| (at.saturating_sub(1)..=at).any(|from| stands_at(words, from, word)));
    let then = (from + 1..words.len()).find(|at| words[*at] == "就" && !is_ready(*at));
    let of = find(words, from + 1, "的").filter(|of| then.is_none_or(|then| *of < then));
    if let Some(of) = of {
        let mended = (0..at).chain(of..words.len()).any(|at| MENDS.iter().any(|word| stands_at(words, at, word)));
        let done = find(words, 0, "了").is_some_and(|done| done < at);
        let goes_on = done || find(words, of + 1, "已").is_some() || find(words, of + 1, "被").is_some();
        // "There are none that pass" and "the ones that have not passed" are written alike.
        let near = of <= from + 2 && !matches!(text, "没有" | "沒有" | "没" | "沒");
        if mended || goes_on || near {
            return Reach { from, to: Some(of), aside: mended };
        }
    }
    // "The stateless service is deployed": a prefix, where something is told of what it stands before.
    let told = || ["已", "了"].iter().any(|word| find(words, 0, word).is_some());
    if matches!(text, "无" | "無") && told() {
        return sure(Some((from + 2).min(words.len())));
    }
    let besides = done_besides(words, from + 1);
    sure(then.into_iter().chain(besides).min())
}

/// The unit that words name from a place on, and how many words do.
pub(super) fn unit_at<'a>(word: impl Fn(usize) -> Option<&'a str>) -> Option<(&'static str, usize)> {
    let first = word(0)?;
    if !is_sign(first) {
        return Some((korean(first)?, 1));
    }
    let reads = |text: &str| {
        let mut at = 0;
        text.char_indices().all(|(from, sign)| {
            let is = word(at) == text.get(from..from + sign.len_utf8());
            at += 1;
            is
        })
    };
    UNITS.iter().find(|(text, _)| reads(text)).map(|(text, unit)| (*unit, text.chars().count()))
}

/// The unit that a word of Korean names, with what stands behind it.
pub(super) fn korean(word: &str) -> Option<&'static str> {
    let is_korean = word.starts_with(|sign| matches!(sign, '\u{AC00}'..='\u{D7A3}'));
    let named = |(text, _): &&(&str, &str)| word.strip_prefix(text).is_some_and(|rest| ENDINGS.contains(&rest));
    UNITS.iter().filter(|_| is_korean).find(named).map(|(_, unit)| *unit)
}

#[cfg(test)]
mod tests {
    use super::super::lexer::words;
    use super::*;

    fn denied(text: &str) -> String {
        let read = words(text);
        let texts: Vec<&str> = read.iter().map(|word| &*word.text).collect();
        let found = (0..texts.len()).find_map(|at| denied_from(&texts, at));
        found.map_or_else(String::new, |found| texts[found.from..found.to.unwrap_or(texts.len())].concat())
    }

    #[test]
    fn signs_that_deny_are_told_from_words_that_have_them() {
        assert_eq!(denied("测试没有通过"), "通过");
        assert_eq!(denied("缓存未启用"), "启用");
        assert_eq!(denied("请勿删除"), "删除");
        assert_eq!(denied("テストは通過しませんでした"), "通過しません");
        assert_eq!(denied("設定は変わらない"), "変わらない");
        assert_eq!(denied("服务未就绪"), "就绪");
        assert_eq!(denied("没有测试就部署了"), "测试");
        assert_eq!(denied("未定義の変数を修正した"), "定義");
        assert_eq!(denied("テストを実行せずにデプロイした"), "実行せず");
        assert_eq!(denied("无人值守升级已启用"), "人");
        assert_eq!(denied("没有修改旧的解析器"), "修改旧的解析器");
        for text in
            ["不仅如此", "不同的结果", "能不能通过", "未来的计划", "无论如何", "差不多", "失敗するかもしれません"]
        {
            assert_eq!(denied(text), "", "{text}");
        }
    }

    #[test]
    fn units_are_of_several_signs_or_end_otherwise() {
        let of = |text: &str| {
            let read = words(text);
            unit_at(|at| read.get(at).map(|word| &*word.text))
        };
        assert_eq!((of("小时"), of("分钟内"), of("時間")), (Some(("h", 2)), Some(("min", 2)), Some(("h", 2))));
        assert_eq!((of("시간으로"), of("분이다"), of("시간표")), (Some(("h", 1)), Some(("min", 1)), None));
        assert_eq!(of("次"), None);
    }
}
