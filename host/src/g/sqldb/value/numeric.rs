//! `numeric`: digits of 10,000, an exponent, and how many decimals are shown.

use std::fmt::Write;

use super::{Malformed, Written, fixed, take};

const NEGATIVE: u16 = 0x4000;
const NOT_A_NUMBER: u16 = 0xC000;
const INFINITY: u16 = 0xD000;
const MINUS_INFINITY: u16 = 0xF000;

/// Writes it with all its decimals.
pub(super) fn numeric(out: &mut String, mut raw: &[u8]) -> Written {
    let mut next = || Ok::<_, Malformed>(u16::from_be_bytes(fixed(take(&mut raw, 2)?)?));
    let count = next()?;
    let weight = i32::from(next()?.cast_signed());
    let sign = next()?;
    let decimals = usize::from(next()?);
    let digits = (0..count).map(|_| next()).collect::<Result<Vec<_>, _>>()?;
    match sign {
        0 => {}
        NEGATIVE => out.push('-'),
        NOT_A_NUMBER => *out += "NaN",
        INFINITY => *out += "Infinity",
        MINUS_INFINITY => *out += "-Infinity",
        _ => return Err(Malformed),
    }
    if !matches!(sign, 0 | NEGATIVE) {
        return Ok(());
    }
    // The digit that stands for this power of 10,000; zeros before and behind are not sent.
    let digit = |power: i32| usize::try_from(weight - power).ok().and_then(|at| digits.get(at)).copied().unwrap_or(0);
    write!(out, "{}", digit(weight.max(0)))?;
    for power in (0..weight).rev() {
        write!(out, "{:04}", digit(power))?;
    }
    if decimals > 0 {
        out.push('.');
        let end = out.len() + decimals;
        for power in (1..).take(decimals.div_ceil(4)) {
            write!(out, "{:04}", digit(-power))?;
        }
        out.truncate(end);
    }
    Ok(())
}
