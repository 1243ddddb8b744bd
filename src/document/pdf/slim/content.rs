//! What draws a page, without what leaves no trace in its text: colours of pens, marks of content, bends of curves. It is
//! told apart as the first reader does that, whatever else stands there.

/// What an operator does, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Nothing that is read.
    Nothing,
    /// Sets the colour of areas, which tells areas over areas from others.
    Colour,
    /// Sets the width of the pen, which tells lines from bars.
    Pen,
    /// A curve; whether it has all of its points.
    Curve(bool),
    /// Makes a path one that clips.
    Clip,
    /// Ends a path: whether it fills it, and whether it draws it.
    Paint { fills: bool, draws: bool },
    /// Draws what stands elsewhere.
    Other,
    /// Anything else.
    Kept,
}

/// An operator with what stands before it: its end, where the next begins.
struct Step {
    end: usize,
    kind: Kind,
}

/// A content without what leaves no trace in the text of its page. `is_whole`: it is all that the page draws by itself, and
/// no form that others draw.
pub fn slimmed(content: &[u8], is_whole: bool) -> Vec<u8> {
    let mut steps = steps(content);
    let is_any =
        |holds: fn(Kind) -> bool| !is_whole || steps.iter().any(|step| step.kind == Kind::Other || holds(step.kind));
    let fills = is_any(|kind| matches!(kind, Kind::Paint { fills: true, .. }));
    let draws = is_any(|kind| matches!(kind, Kind::Paint { draws: true, .. }));
    straighten(&mut steps);
    let (mut made, mut from, mut begin) = (Vec::with_capacity(content.len()), 0, 0);
    let mut take = |from: usize, to: usize| {
        if from < to {
            made.extend_from_slice(content.get(from..to).unwrap_or_default());
            made.push(b'\n');
        }
    };
    for Step { end, kind } in steps {
        let is_kept = match kind {
            Kind::Nothing => false,
            Kind::Colour => fills,
            Kind::Pen => draws,
            _ => true,
        };
        if !is_kept {
            take(begin, from);
            begin = end;
        }
        from = end;
    }
    take(begin, from);
    made
}

/// Leaves out curves behind which another follows: of those that are no clip, only where they end is read.
fn straighten(steps: &mut [Step]) {
    // What was begun before, or is gone on with elsewhere, is not known.
    let (mut begin, mut clips) = (0, true);
    for at in 0..steps.len() {
        match steps.get(at).map(|step| step.kind) {
            Some(Kind::Clip) => clips = true,
            Some(Kind::Other) => (begin, clips) = (at, true),
            Some(Kind::Paint { .. }) => {
                let path = Some(begin..at).filter(|_| !clips).and_then(|path| steps.get_mut(path)).unwrap_or_default();
                for curve in 1..path.len() {
                    if let Some([one, next]) = path.get_mut(curve - 1..=curve)
                        && matches!(one.kind, Kind::Curve(_))
                        && next.kind == Kind::Curve(true)
                    {
                        one.kind = Kind::Nothing;
                    }
                }
                (begin, clips) = (at + 1, false);
            }
            _ => {}
        }
    }
}

fn kind(operator: &[u8], operands: usize) -> Kind {
    match operator {
        b"RG" | b"G" | b"K" | b"CS" | b"SC" | b"SCN" | b"gs" | b"i" | b"ri" | b"j" | b"J" | b"d" | b"M" | b"BDC"
        | b"BMC" | b"EMC" | b"MP" | b"DP" => Kind::Nothing,
        b"rg" | b"g" | b"k" | b"cs" | b"sc" | b"scn" => Kind::Colour,
        b"w" => Kind::Pen,
        b"c" => Kind::Curve(operands >= 6),
        b"v" | b"y" => Kind::Curve(operands >= 4),
        b"W" | b"W*" => Kind::Clip,
        b"f" | b"F" | b"f*" => Kind::Paint { fills: true, draws: false },
        b"S" | b"s" | b"B" | b"B*" | b"b" | b"b*" => Kind::Paint { fills: false, draws: true },
        b"n" => Kind::Paint { fills: false, draws: false },
        b"Do" => Kind::Other,
        _ => Kind::Kept,
    }
}

fn steps(content: &[u8]) -> Vec<Step> {
    let (mut steps, mut at, mut operands) = (Vec::with_capacity(content.len() / 16), 0, 0);
    while let Some(byte) = content.get(at) {
        if let Some(end) = operand(content, at) {
            (at, operands) = (end, operands + 1);
            continue;
        }
        match byte {
            b'%' => at = line_end(content, at),
            byte if byte.is_ascii_alphabetic() => {
                let from = at;
                at = while_at(content, at, |byte| byte.is_ascii_alphanumeric());
                at += usize::from(content.get(at) == Some(&b'*'));
                match content.get(from..at).unwrap_or_default() {
                    b"true" | b"false" | b"null" => operands += 1,
                    b"BI" => {
                        at = picture_end(content, at);
                        (operands, steps) = (0, pushed(steps, at, Kind::Kept));
                    }
                    operator => (operands, steps) = (0, pushed(steps, at, kind(operator, operands))),
                }
            }
            b'\'' | b'"' => {
                at += 1;
                (operands, steps) = (0, pushed(steps, at, Kind::Kept));
            }
            _ => at += 1,
        }
    }
    steps
}

fn pushed(mut steps: Vec<Step>, end: usize, kind: Kind) -> Vec<Step> {
    steps.push(Step { end, kind });
    steps
}

/// Where the operand that begins here ends; `None` where none begins.
fn operand(content: &[u8], at: usize) -> Option<usize> {
    let next = |at: usize| content.get(at).copied();
    Some(match next(at)? {
        b'(' => string_end(content, at),
        b'<' if next(at + 1).is_some_and(|next| next != b'<') => hex_end(content, at),
        b'[' => list_end(content, at),
        b'/' => name_end(content, at),
        b'-' | b'+' | b'.' | b'0'..=b'9' => number_end(content, at),
        _ => return None,
    })
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0 | 12)
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%') || is_blank(byte)
}

fn while_at(content: &[u8], at: usize, holds: impl Fn(u8) -> bool) -> usize {
    let rest = content.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !holds(*byte)).unwrap_or(rest.len())
}

fn line_end(content: &[u8], at: usize) -> usize {
    while_at(content, at, |byte| byte != b'\n' && byte != b'\r')
}

fn string_end(content: &[u8], at: usize) -> usize {
    let (mut at, mut depth) = (at + 1, 1_usize);
    while depth > 0 {
        match content.get(at) {
            Some(b'(') => depth += 1,
            Some(b')') => depth -= 1,
            Some(b'\\') if at + 1 < content.len() => at += 1,
            Some(_) => {}
            None => return at,
        }
        at += 1;
    }
    at
}

fn hex_end(content: &[u8], at: usize) -> usize {
    let end = while_at(content, at + 1, |byte| byte != b'>');
    (end + 1).min(content.len())
}

fn name_end(content: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(byte) = content.get(at).filter(|byte| !is_delimiter(**byte)) {
        at += if *byte == b'#' && at + 2 < content.len() { 3 } else { 1 };
    }
    at
}

fn number_end(content: &[u8], at: usize) -> usize {
    let at = at + usize::from(matches!(content.get(at), Some(b'-' | b'+')));
    while_at(content, at, |byte| byte.is_ascii_digit() || byte == b'.')
}

fn list_end(content: &[u8], at: usize) -> usize {
    let (mut at, mut depth) = (at + 1, 1_usize);
    while let Some(byte) = content.get(at).filter(|_| depth > 0) {
        at = match byte {
            b']' => {
                depth -= 1;
                at + 1
            }
            b'[' => {
                depth += 1;
                at + 1
            }
            _ => operand(content, at).unwrap_or(at + 1),
        };
    }
    at
}

/// Where a picture that stands in the content ends, whose first word has ended here.
fn picture_end(content: &[u8], at: usize) -> usize {
    let byte = |at: usize| content.get(at).copied();
    let is_at = |at: usize, word: &[u8]| content.get(at..).is_some_and(|rest| rest.starts_with(word));
    let before = |at: usize| at.checked_sub(1).and_then(byte);
    let begins = |at: &usize| {
        let is_parted = before(*at).is_none_or(|byte| is_blank(byte) || matches!(byte, b'>' | b']' | b')'));
        is_at(*at, b"ID") && is_parted && byte(at + 2).is_none_or(is_blank)
    };
    let ends =
        |at: &usize| is_at(*at, b"EI") && before(*at).is_none_or(is_blank) && byte(at + 2).is_none_or(is_delimiter);
    let begin = (at..content.len()).find(begins).map_or(content.len(), |at| at + 2);
    (begin..content.len()).find(ends).map_or(content.len(), |at| at + 2)
}
