//! Notices of lists without `limit` that leave documents or items out.

use crate::{Error, data::Omitted, run::State, workspace::Session};

impl Omitted {
    /// `g.store.list("orders") gave 100 of 500 documents: give a limit, or use g.store.all`
    pub(crate) fn notice(self, call: &str, found: usize, what: &str, advice: &str) -> String {
        match self {
            Self::Of(total) => format!("{call} gave {found} of {total} {what}: {advice}"),
            Self::Unknown => format!("{call} gave {found} {what}, and there are more: {advice}"),
        }
    }
}

/// What to do about a list that can be paged.
pub(crate) const PAGE: &str = "give a limit, or page with offset";

impl State {
    /// Whether a call reports what it left out: if it has no limit, and the run has no notice yet.
    pub(crate) fn reports_omitted(&self, limit: Option<u32>) -> bool {
        limit.is_none() && !self.has_notices()
    }

    /// Makes a further call to find out whether there is more than a page. An error of it is ignored: the call of the script
    /// has succeeded.
    pub(crate) fn look_for_more(
        &mut self,
        more: impl FnOnce(&mut Session) -> Result<bool, Error>,
    ) -> Result<bool, Error> {
        match more(self.current_session()?) {
            Err(error) if !error.ends_run() => Ok(false),
            looked => looked,
        }
    }
}
