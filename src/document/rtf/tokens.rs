//! RTF in pieces: groups, control words with their numbers, and bytes of text.

use crate::content::hex_byte;

/// Letters and digits of a control word that are read; longer ones are none.
const WORD_MAX: usize = 32;
const DIGITS_MAX: usize = 10;

/// One piece of RTF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// A group begins.
    Open,
    /// It ends.
    Close,
    /// A control word, and the number behind it.
    Word(&'a str, Option<i32>),
    /// A control symbol.
    Symbol(u8),
    /// A byte of text, and whether it was written as two digits.
    Byte(u8, bool),
}

/// Takes RTF apart.
pub struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    /// From the first byte on.
    pub fn of(rest: &'a [u8]) -> Tokens<'a> {
        Tokens { rest }
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// Passes over bytes that are no RTF.
    pub fn pass(&mut self, bytes: usize) {
        self.take(bytes.min(self.rest.len()));
    }

    fn take(&mut self, size: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at_checked(size).unwrap_or((self.rest, &[]));
        self.rest = rest;
        taken
    }

    fn control(&mut self) -> Token<'a> {
        let letters = self.rest.iter().take(WORD_MAX).take_while(|byte| byte.is_ascii_alphabetic()).count();
        if letters == 0 {
            return match self.take(1) {
                [b'\''] => match hex_byte(self.rest) {
                    Some(byte) => {
                        self.take(2);
                        Token::Byte(byte, true)
                    }
                    None => Token::Symbol(b'\''),
                },
                [sign] => Token::Symbol(*sign),
                _ => Token::Close,
            };
        }
        let word = std::str::from_utf8(self.take(letters)).unwrap_or_default();
        let is_digits =
            |from: usize| self.rest.iter().skip(from).take(DIGITS_MAX).take_while(|byte| byte.is_ascii_digit()).count();
        let sign = usize::from(self.rest.first() == Some(&b'-') && is_digits(1) > 0);
        let size = match is_digits(sign) {
            0 => 0,
            digits => sign + digits,
        };
        let number = std::str::from_utf8(self.take(size)).ok().and_then(|number| number.parse().ok());
        if self.rest.first() == Some(&b' ') {
            self.take(1);
        }
        Token::Word(word, number)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            return Some(match *self.take(1).first()? {
                b'{' => Token::Open,
                b'}' => Token::Close,
                b'\\' => self.control(),
                // Lines of the file are none of the text.
                b'\r' | b'\n' | 0 => continue,
                byte => Token::Byte(byte, false),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_where_their_number_does_and_take_one_blank() {
        let found: Vec<_> = Tokens::of(b"{\\b1 x\\u-3913?\\'e9\\'+5\\~\r\n\\par}\\").collect();
        let (byte, word) = (|byte| Token::Byte(byte, false), Token::Word);
        assert_eq!(
            found,
            [
                Token::Open,
                word("b", Some(1)),
                byte(b'x'),
                word("u", Some(-3913)),
                byte(b'?'),
                Token::Byte(0xE9, true),
                Token::Symbol(b'\''),
                byte(b'+'),
                byte(b'5'),
                Token::Symbol(b'~'),
                word("par", None),
                Token::Close,
                Token::Close,
            ]
        );
        let long = format!("\\{}99999999999", "a".repeat(40));
        assert_eq!(Tokens::of(long.as_bytes()).next(), Some(Token::Word(&"a".repeat(32), None)));
    }
}
