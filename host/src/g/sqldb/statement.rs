//! Statements of scripts. Each is parsed once, as soon as it arrives from the script: into its text, its parameters and what
//! decides how it is run.
//!
//! Whether the SQL is valid is for the server to decide.

use super::{
    parameter::{self, Js},
    sql_lexer::{Token, tokens},
};
use crate::{Error, ErrorCode};

/// A statement with its parameters.
pub(super) struct Statement<'a> {
    pub(super) text: Text<'a>,
    pub(super) values: Vec<Js<'a>>,
    pub(super) scope: Scope,
}

/// Which transaction a statement runs in: its own (autocommit), or that of `g.sqldb.transaction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// A transaction of its own, which the server commits when the statement ends.
    Autocommit,
    /// The transaction of a callback of `g.sqldb.transaction`, or of a batch.
    Transaction,
}

impl<'a> Statement<'a> {
    /// Parses a statement and its parameters. `what` is the name of the parameters in error messages.
    ///
    /// Fails with `invalid-argument` or `query-syntax` for a statement that can't be run by itself.
    pub(super) fn read(what: &str, sql: &'a str, params: Option<&'a str>, scope: Scope) -> Result<Self, Error> {
        let values = params.map_or(Ok(Vec::new()), |params| parameter::read(what, params))?;
        let text = Text::parse(sql);
        text.check(scope)?;
        Ok(Self { text, values, scope })
    }

    pub(super) fn sql(&self) -> &'a str {
        self.text.sql
    }

    pub(super) fn is_in_transaction(&self) -> bool {
        self.scope == Scope::Transaction
    }
}

/// What a statement does, by its first words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing but white space, comments and semicolons.
    Empty,
    /// Returns rows: `SELECT`, `WITH`, `VALUES`, `TABLE`. What `COPY (…) TO` accepts.
    Query,
    /// Changes rows: `INSERT`, `UPDATE`, `DELETE`, `MERGE`.
    Change,
    /// Begins or ends a transaction: `BEGIN`, `ROLLBACK` (but not to a savepoint), `PREPARE TRANSACTION`.
    Control,
    /// `COPY` from `STDIN` or to `STDOUT`.
    CopyStream,
    /// Any other, which may change tables and types.
    Other,
}

/// The text of a statement, with the results of one pass over it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    pub(super) sql: &'a str,
    pub(super) kind: Kind,
    /// Another statement follows a semicolon.
    pub(super) has_multiple_statements: bool,
    /// There is at most one token, so the text is possibly the name of a table.
    pub(super) is_single_token: bool,
    /// The statement may contain a `PREPARE`, possibly inside a string that it executes.
    pub(super) possibly_prepares: bool,
    /// The first word.
    first: Option<&'a str>,
    /// Where semicolons and comments at its end begin.
    end: usize,
}

impl<'a> Text<'a> {
    pub(super) fn parse(sql: &'a str) -> Self {
        let mut words = Words::default();
        let (mut count, mut end, mut is_ended, mut has_multiple_statements) = (0_usize, 0, false, false);
        for (token, token_end) in tokens(sql) {
            count += 1;
            if token == Token::Semicolon {
                // The server skips semicolons before a statement.
                is_ended = end > 0;
                continue;
            }
            has_multiple_statements |= is_ended;
            end = token_end;
            words.add(token);
        }
        let kind = if end == 0 { Kind::Empty } else { words.kind() };
        let possibly_prepares = sql.as_bytes().windows(7).any(|word| word.eq_ignore_ascii_case(b"prepare"));
        Self {
            sql,
            kind,
            has_multiple_statements,
            is_single_token: count <= 1,
            possibly_prepares,
            first: words.head[0],
            end,
        }
    }

    /// The statement without semicolons and comments at its end.
    pub(super) fn trimmed(&self) -> &'a str {
        &self.sql[..self.end]
    }

    /// Whether it leaves tables and types as they are.
    pub(super) fn leaves_schema_unchanged(&self) -> bool {
        matches!(self.kind, Kind::Query | Kind::Change)
    }

    fn check(&self, scope: Scope) -> Result<(), Error> {
        let refused = |message: &str| Err(Error::new(ErrorCode::QuerySyntax, message));
        match self.kind {
            _ if self.sql.contains('\0') => refused("the statement contains a NUL"),
            Kind::Empty => refused("there is no statement"),
            Kind::Control => refused(&self.not_allowed(scope)),
            Kind::CopyStream => Err(Error::invalid(
                "COPY with STDIN or STDOUT can't be run as a statement; use g.sqldb.copyFrom or copyTo",
            )),
            Kind::Query | Kind::Change | Kind::Other => Ok(()),
        }
    }

    fn not_allowed(&self, scope: Scope) -> String {
        let place = match scope {
            Scope::Autocommit => "outside of g.sqldb.transaction, where each call is a transaction of its own",
            Scope::Transaction => {
                "in a callback of g.sqldb.transaction, which begins and ends the transaction; SAVEPOINT is allowed"
            }
        };
        format!("{} is not allowed {place}", self.first.unwrap_or_default().to_ascii_uppercase())
    }
}

/// The words of a statement that decide about its kind.
#[derive(Default)]
struct Words<'a> {
    /// The first two tokens, None for one that is not a word. Brackets before them are skipped.
    head: [Option<&'a str>; 2],
    tokens: usize,
    /// `TO` occurs after the first word.
    has_to: bool,
    /// `STDIN` or `STDOUT` occurs.
    has_stream: bool,
}

impl<'a> Words<'a> {
    fn add(&mut self, token: Token<'a>) {
        if self.tokens == 0 && token == Token::Other('(') {
            return;
        }
        let word = if let Token::Word(word) = token { Some(word) } else { None };
        if let Some(place) = self.head.get_mut(self.tokens) {
            *place = word;
        }
        let is = |keyword: &str| word.is_some_and(|word| word.eq_ignore_ascii_case(keyword));
        self.has_to |= self.tokens > 0 && is("to");
        self.has_stream |= is("stdin") || is("stdout");
        self.tokens += 1;
    }

    fn kind(&self) -> Kind {
        let [first, second] = self.head.map(|word| word.unwrap_or_default().to_ascii_lowercase());
        match first.as_str() {
            "select" | "with" | "values" | "table" => Kind::Query,
            "insert" | "update" | "delete" | "merge" => Kind::Change,
            "begin" | "start" | "commit" | "end" | "abort" => Kind::Control,
            // `ROLLBACK TO a`, `ROLLBACK WORK TO SAVEPOINT a`
            "rollback" if !self.has_to => Kind::Control,
            "prepare" if second == "transaction" => Kind::Control,
            "copy" if self.has_stream => Kind::CopyStream,
            _ => Kind::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_is_known_by_the_words_behind_comments_brackets_and_semicolons() {
        let rows = [
            ("SELECT 1", Kind::Query),
            (" -- a\n /* b /* c */ */ ( (Values (1)))", Kind::Query),
            (";;with a as (delete from b returning *) table a", Kind::Query),
            ("merge into a using b on true when matched then delete", Kind::Change),
            ("insert into a values (1)", Kind::Change),
            ("create table a ()", Kind::Other),
            ("explain select 1", Kind::Other),
            ("copy a from '/stdin'", Kind::Other),
            ("copy a (\"stdin\") from program 'stdin'", Kind::Other),
            ("COPY a FROM Stdin", Kind::CopyStream),
            ("copy (select 1) to stdout", Kind::CopyStream),
            ("\"select\"", Kind::Other),
            ("'select'", Kind::Other),
            ("e'a' select", Kind::Other),
            ("selectée", Kind::Other),
            ("", Kind::Empty),
            (" ; --x", Kind::Empty),
        ];
        for (sql, expected) in rows {
            assert_eq!(Text::parse(sql).kind, expected, "{sql}");
        }
    }

    #[test]
    fn what_ends_a_transaction_is_refused_in_one() {
        for sql in [
            "commit",
            "-- a\nBEGIN",
            "end;",
            ";commit",
            "; /* a */ ;rollback",
            "Rollback",
            "rollback and chain",
            "abort",
            "start transaction",
            "prepare transaction 'a'",
        ] {
            let refused = Statement::read("params", sql, None, Scope::Transaction).map(drop).unwrap_err();
            assert_eq!(refused.code, ErrorCode::QuerySyntax, "{sql}");
        }
        for sql in [
            "rollback to a",
            ";rollback to a",
            "ROLLBACK WORK TO SAVEPOINT a",
            "savepoint a",
            "release a",
            "prepare p as select 1",
            "select 'commit'",
        ] {
            assert!(Statement::read("params", sql, None, Scope::Transaction).is_ok(), "{sql}");
        }
    }

    #[test]
    fn a_semicolon_in_a_text_separates_nothing() {
        let one = [
            "select ';'",
            "select 1;",
            "select 1; -- ; more",
            "select $$a;b$$",
            "select $t$ $$ ; $$ $t$;",
            "select ';''; '",
            "select \"a;b\" /* ; */ ;;",
            "select E'\\'; '",
            "select $1; ",
            "; select 1",
            "select 'é;'",
            "select $é$;$é$",
        ];
        for sql in one {
            assert!(!Text::parse(sql).has_multiple_statements, "{sql}");
        }
        for sql in ["select 1; select 2", "select '\\'; select 2", "a$1;b", "select $1;$2", ";a;;b", "(;a"] {
            assert!(Text::parse(sql).has_multiple_statements, "{sql}");
        }
    }

    #[test]
    fn the_end_is_left_off() {
        let rows = [
            ("select 1 ; -- a\n/* b */ ;", "select 1"),
            ("select ';' ", "select ';'"),
            ("select 1 -- a", "select 1"),
            (" ; ", ""),
            ("/* a", ""),
            ("select 'a", "select 'a"),
        ];
        for (sql, expected) in rows {
            assert_eq!(Text::parse(sql).trimmed(), expected, "{sql}");
        }
        let lone = |sql| Text::parse(sql).is_single_token;
        assert!(lone("people") && lone("\"a b\" -- c") && !lone("a b") && !lone("a;"));
    }

    #[test]
    fn a_prepare_is_found_wherever_it_may_be_executed() {
        for sql in ["prepare a as select 1", "do $$ begin execute 'PREPARE a as select 1'; end $$"] {
            assert!(Text::parse(sql).possibly_prepares, "{sql}");
        }
        assert!(!Text::parse("select 1").possibly_prepares);
    }
}
