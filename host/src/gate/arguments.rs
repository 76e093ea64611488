//! What calls are given.

/// The arguments of a call. Their type counts them, so that none can be left out of the bound on them.
pub(crate) trait Arguments {
    /// How many bytes of text they are.
    fn bytes(&self) -> usize;

    /// Whether a text stands in them: what the script wrote itself is no secret.
    fn contain(&self, text: &str) -> bool;
}

impl Arguments for String {
    fn bytes(&self) -> usize {
        self.len()
    }

    fn contain(&self, text: &str) -> bool {
        self.as_str().contains(text)
    }
}

impl<A: Arguments> Arguments for &A {
    fn bytes(&self) -> usize {
        (**self).bytes()
    }

    fn contain(&self, text: &str) -> bool {
        (**self).contain(text)
    }
}

impl<A: Arguments> Arguments for Option<A> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, Arguments::bytes)
    }

    fn contain(&self, text: &str) -> bool {
        self.as_ref().is_some_and(|argument| argument.contain(text))
    }
}

impl<A: Arguments> Arguments for Vec<A> {
    fn bytes(&self) -> usize {
        self.iter().map(Arguments::bytes).sum()
    }

    fn contain(&self, text: &str) -> bool {
        self.iter().any(|argument| argument.contain(text))
    }
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        impl<$($name: Arguments),*> Arguments for ($($name,)*) {
            fn bytes(&self) -> usize {
                #[allow(non_snake_case)] // A type and its value have one name.
                let ($($name,)*) = self;
                0 $(+ $name.bytes())*
            }

            fn contain(&self, _text: &str) -> bool {
                #[allow(non_snake_case)] // A type and its value have one name.
                let ($($name,)*) = self;
                false $(|| $name.contain(_text))*
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
        let arguments = (text("abc"), Some(vec![text("de"), text("")]), (&None::<String>, (text("f"),)));
        assert_eq!(arguments.bytes(), 6);
        assert!(["bc", "e", "f"].iter().all(|part| arguments.contain(part)));
        assert!(!arguments.contain("g") && !().contain(""));
    }
}
