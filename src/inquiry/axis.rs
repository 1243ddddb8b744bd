//! What the facts that runs keep are set against.

use super::bill::Bill;

macro_rules! axes {
    ($( $variant:ident, $key:literal, $name:literal, $meaning:literal; )*) => {
        /// What facts are set against.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum Axis { #[default] $( #[doc = $meaning] $variant, )* }

        impl Axis {
            /// All of them, in order.
            pub const ALL: &[Axis] = &[ $( Axis::$variant, )* ];

            /// Its name in JSON.
            #[must_use]
            pub fn key(self) -> &'static str {
                match self { $( Axis::$variant => $key, )* }
            }

            /// Its name for people.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $( Axis::$variant => $name, )* }
            }

            /// What it measures.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $( Axis::$variant => $meaning, )* }
            }
        }
    };
}

axes! {
    Sent, "sent", "tokens sent", "Tokens of all requests together, without refused ones.";
    Compactions, "compactions", "compactions", "Summaries that are made.";
    Cost, "cost", "cost", "Dollars; where the model has no prices, tokens that no cache had.";
    Peak, "peak", "peak", "The largest window, in tokens.";
}

impl Axis {
    /// The next one, round and round.
    #[must_use]
    pub fn next(self) -> Axis {
        let at = Axis::ALL.iter().position(|axis| *axis == self).unwrap_or(0);
        Axis::ALL.get((at + 1) % Axis::ALL.len()).copied().unwrap_or_default()
    }

    /// What a run comes to by it.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn of(self, bill: &Bill) -> f64 {
        match self {
            Axis::Sent => bill.sent as f64,
            Axis::Compactions => bill.compactions as f64,
            Axis::Cost => bill.rank().1,
            Axis::Peak => bill.peak as f64,
        }
    }
}
