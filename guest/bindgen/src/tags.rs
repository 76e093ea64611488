//! Applies the tags of a value to its type.

use anyhow::{Result, bail, ensure};

use crate::{
    docs::{Docs, Literal},
    model::{Model, Type},
};

/// Narrows a type by the tags `@range` and `@values`.
pub fn restrict(mut ty: Type, docs: &Docs) -> Result<Type> {
    if let Some((least, most)) = docs.range {
        match &mut ty {
            Type::Whole(whole) => {
                ensure!(
                    least.fract() == 0.0 && most.fract() == 0.0,
                    "@range of a whole number must be two whole numbers"
                );
                let within = least >= whole.least as f64 && most <= whole.most as f64;
                ensure!(within, "@range must lie within {}..{}", whole.least, whole.most);
                (whole.least, whole.most) = (least as i64, most as i64);
            }
            Type::Number { range, .. } => *range = Some((least, most)),
            _ => bail!("@range belongs to a number"),
        }
    }
    if docs.values.is_empty() {
        return Ok(ty);
    }
    match &mut ty {
        Type::Text(values) => *values = docs.values.iter().map(text).collect::<Result<_>>()?,
        Type::Whole(whole) => whole.values = docs.values.iter().map(integer).collect::<Result<_>>()?,
        _ => bail!("@values belong to a string or a whole number"),
    }
    Ok(ty)
}

fn text(literal: &Literal) -> Result<String> {
    match literal {
        Literal::Text(text) => Ok(text.clone()),
        other => bail!("@values of a string must be strings, not {other}"),
    }
}

fn integer(literal: &Literal) -> Result<i64> {
    match literal {
        Literal::Number(number) if number.fract() == 0.0 => Ok(*number as i64),
        other => bail!("@values of a whole number must be whole numbers, not {other}"),
    }
}

/// Checks that a `@default` is a value of its type.
pub fn check_default(model: &Model, ty: &Type, default: &Literal) -> Result<()> {
    let few = model.literals(ty);
    let fits = match (ty, default) {
        _ if !few.is_empty() => few.contains(default),
        (Type::Text(_), Literal::Text(_)) | (Type::Boolean, Literal::Boolean(_)) => true,
        (Type::Whole(whole), Literal::Number(number)) => {
            number.fract() == 0.0 && (whole.least as f64..=whole.most as f64).contains(number)
        }
        (Type::Number { range, .. }, Literal::Number(number)) => {
            range.is_none_or(|(least, most)| (least..=most).contains(number))
        }
        _ => false,
    };
    ensure!(fits, "@default {default} is none of its values");
    Ok(())
}
