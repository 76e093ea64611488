//! What may be wrong in a conversation.

/// What is not as it should be in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Nothing: the client and the server understand each other.
    None,
    /// The length of a message is another one, and as much follows.
    Length,
    /// A message has another content of the same length.
    Body,
    /// A few bytes of a message are others.
    Flip,
    /// A message is of another kind.
    Tag,
    /// A message ends in its middle: nothing more comes.
    Half,
    /// A message ends in its middle, and the connection with it.
    Close,
    /// The same without a farewell.
    Reset,
    /// Nothing more comes.
    Stall,
    /// A byte at a time, for ever.
    Drip,
    /// A message that nobody asked for.
    Insert,
    /// A message comes for ever.
    Repeat,
    /// A message does not come.
    Skip,
    /// A message comes after the next one.
    Late,
    /// Bytes that are no message, for ever.
    Noise,
    /// Notices for ever.
    Notices,
    /// Parameters of the session for ever, each with a name of its own.
    Parameters,
    /// Notifications for ever.
    Notifications,
    /// "Ready" for ever.
    Ready,
    /// An error of 50 MB.
    LargeError,
    /// An error with fields that none has.
    StrangeError,
    /// An error that ends the session, and does not.
    Fatal,
    /// A row with another number of values.
    RowCount,
    /// A row with a value of another length.
    RowLength,
    /// A value of 1 GB.
    LargeValue,
    /// Small rows for ever.
    Rows,
    /// Columns of other types, names and formats than they have.
    Columns,
    /// As many columns or parameters as there can be.
    ManyColumns,
    /// A tag of a command that counts beyond all numbers.
    Complete,
    /// A login that is none, or that costs the client all its time.
    Login,
    /// A copy that has no end.
    Copy,
    /// A type that is made of itself.
    TypeOfItself,
    /// A type that is made of another, and that of another, and so on.
    TypeOfAnother,
    /// A type that is made of any other, which may be made of it.
    TypeOfMany,
    /// A type that is not there, or there twice.
    TypeOfNothing,
}

impl Lie {
    const ALL: [Self; 35] = [
        Self::None,
        Self::Length,
        Self::Body,
        Self::Flip,
        Self::Tag,
        Self::Half,
        Self::Close,
        Self::Reset,
        Self::Stall,
        Self::Drip,
        Self::Insert,
        Self::Repeat,
        Self::Skip,
        Self::Late,
        Self::Noise,
        Self::Notices,
        Self::Parameters,
        Self::Notifications,
        Self::Ready,
        Self::LargeError,
        Self::StrangeError,
        Self::Fatal,
        Self::RowCount,
        Self::RowLength,
        Self::LargeValue,
        Self::Rows,
        Self::Columns,
        Self::ManyColumns,
        Self::Complete,
        Self::Login,
        Self::Copy,
        Self::TypeOfItself,
        Self::TypeOfAnother,
        Self::TypeOfMany,
        Self::TypeOfNothing,
    ];

    /// The lie of a conversation.
    pub fn of(seed: u64) -> Self {
        Self::ALL[usize::try_from(seed).unwrap_or_default() % Self::ALL.len()]
    }
}
