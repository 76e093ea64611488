//! The arguments of calls.

use std::sync::Arc;

/// The arguments of a call. The type visits every text, so that none is left out when they are counted or searched.
pub(crate) trait Arguments {
    /// Visits every text in them.
    fn visit(&self, visitor: &mut dyn FnMut(&str));

    /// Returns the length of all texts in bytes.
    fn bytes(&self) -> usize {
        let mut bytes = 0;
        self.visit(&mut |text| bytes += text.len());
        bytes
    }

    /// Whether one of the texts contains `part`.
    fn contain(&self, part: &str) -> bool {
        let mut found = false;
        self.visit(&mut |text| found |= text.contains(part));
        found
    }
}

impl Arguments for String {
    fn visit(&self, visitor: &mut dyn FnMut(&str)) {
        visitor(self);
    }
}

impl<A: Arguments> Arguments for &A {
    fn visit(&self, visitor: &mut dyn FnMut(&str)) {
        (**self).visit(visitor);
    }
}

impl<A: Arguments> Arguments for Arc<A> {
    fn visit(&self, visitor: &mut dyn FnMut(&str)) {
        (**self).visit(visitor);
    }
}

impl<A: Arguments> Arguments for Option<A> {
    fn visit(&self, visitor: &mut dyn FnMut(&str)) {
        self.iter().for_each(|argument| argument.visit(visitor));
    }
}

impl<A: Arguments> Arguments for Vec<A> {
    fn visit(&self, visitor: &mut dyn FnMut(&str)) {
        self.iter().for_each(|argument| argument.visit(visitor));
    }
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        impl<$($name: Arguments),*> Arguments for ($($name,)*) {
            fn visit(&self, _visitor: &mut dyn FnMut(&str)) {
                #[allow(non_snake_case)] // A type and its value have one name.
                let ($($name,)*) = self;
                $($name.visit(_visitor);)*
            }
        }
    )*};
}

tuples!(()(A)(A B)(A B C));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_in_arguments_is_counted_and_searched() {
        let text = |text: &str| text.to_owned();
        let arguments = (text("abc"), Some(Arc::new(vec![text("de"), text("")])), (&None::<String>, (text("f"),)));
        assert_eq!(arguments.bytes(), 6);
        assert!(["bc", "e", "f"].iter().all(|part| arguments.contain(part)));
        assert!(!arguments.contain("g") && !().contain(""));
    }
}
