//! A vector of JSON in binary form, from which the same JSON can be written.

use crate::line_rules::{COMPONENT_MAX, is_json_number};
use crate::values::number_text;

/// A vector in binary form: whole numbers and how many decimals they have, or numbers of single precision.
#[derive(Debug, Clone, PartialEq)]
pub enum PackedVector {
    /// All with the same number of decimals.
    Decimals { decimals: u8, numbers: Vec<i32> },
    /// Each with its own number of decimals.
    Mixed { decimals: Vec<u8>, numbers: Vec<i32> },
    /// Written with all the digits that a double has, as most programs write single precision.
    Single { numbers: Vec<f32> },
}

/// In stored entities, these take the place of a number of decimals.
const MIXED_MARK: u8 = 254;
const SINGLE_MARK: u8 = 255;

/// With more decimals, numbers with few digits would need an exponent.
const DECIMALS_MAX: usize = 18;

/// JavaScript writes smaller numbers with an exponent (ECMA-262, Number::toString).
const PLAIN_DECIMALS: usize = 6;

/// 10^0 to 10^18, exact in i64 and, up to 10^22, in f64.
const POWERS: [i64; DECIMALS_MAX + 1] = {
    let mut powers = [1; DECIMALS_MAX + 1];
    let mut index = 1;
    while index <= DECIMALS_MAX {
        powers[index] = powers[index - 1] * 10;
        index += 1;
    }
    powers
};

impl PackedVector {
    /// Reads a list of numbers at the start of `json`, and returns also how many bytes it takes. With `is_exact`, the vector comes back as the
    /// same text. Otherwise it comes back as JavaScript writes its numbers, and there may be white space between them. Returns `None` if no
    /// binary form does that.
    pub fn read(json: &str, is_exact: bool) -> Option<(PackedVector, usize)> {
        let bytes = json.as_bytes();
        if !json.starts_with('[') {
            return None;
        }
        let mut numbers: Vec<i32> = Vec::with_capacity(bytes.len().min(16_384) / 8);
        let mut decimals: Vec<u8> = Vec::with_capacity(numbers.capacity());
        let read = read_list(bytes, is_exact, |bytes, offset| {
            let (number, number_decimals, end) = read_decimal(bytes, offset)?;
            numbers.push(number);
            decimals.push(number_decimals);
            Some(end)
        });
        if let Some(length) = read {
            return Some((PackedVector::from_decimals(numbers, decimals), length));
        }
        let mut numbers: Vec<f32> = Vec::new();
        let length = read_list(bytes, is_exact, |bytes, offset| {
            let end = offset + bytes[offset..].iter().take_while(|byte| byte.is_ascii_digit() || b"-.+eE".contains(byte)).count();
            let text = json.get(offset..end).filter(|text| is_json_number(text))?;
            let number: f64 = text.parse().ok()?;
            let single = number as f32;
            numbers.push(single);
            let is_same = f64::from(single) == number && number.abs() <= COMPONENT_MAX && (!is_exact || number_text(number) == text);
            is_same.then_some(end)
        })?;
        Some((PackedVector::Single { numbers }, length))
    }

    fn from_decimals(numbers: Vec<i32>, decimals: Vec<u8>) -> PackedVector {
        let decimals_max = decimals.iter().copied().max().unwrap_or(0);
        let decimals_min = decimals.iter().copied().min().unwrap_or(0);
        // Numbers have at most 9 digits: products with 10^9 fit i64.
        if usize::from(decimals_max - decimals_min) > DIGITS_MAX {
            return PackedVector::Mixed { decimals, numbers };
        }
        let mut is_too_large = false;
        let scaled_numbers = numbers.iter().zip(&decimals).map(|(number, decimals)| {
            let scaled = i64::from(*number) * POWERS[usize::from(decimals_max - decimals)];
            is_too_large |= i64::from(scaled as i32) != scaled;
            scaled as i32
        });
        let scaled_numbers: Vec<i32> = scaled_numbers.collect();
        if is_too_large {
            PackedVector::Mixed { decimals, numbers }
        } else {
            PackedVector::Decimals { decimals: decimals_max, numbers: scaled_numbers }
        }
    }

    pub fn len(&self) -> usize {
        match self {
            PackedVector::Decimals { numbers, .. } | PackedVector::Mixed { numbers, .. } => numbers.len(),
            PackedVector::Single { numbers } => numbers.len(),
        }
    }

    /// Returns the numbers, rounded to single precision.
    pub fn to_floats(&self) -> Vec<f32> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: this processor has AVX2.
            return unsafe { self.to_floats_avx2() };
        }
        self.to_floats_plain()
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn to_floats_avx2(&self) -> Vec<f32> {
        self.to_floats_plain()
    }

    #[inline(always)]
    fn to_floats_plain(&self) -> Vec<f32> {
        // A quotient of two exact numbers is the double nearest to the decimal, as a parser returns it.
        let divide = |number: i32, decimals: u8| (f64::from(number) / POWERS[usize::from(decimals)] as f64) as f32;
        match self {
            PackedVector::Decimals { decimals, numbers } => {
                let power = POWERS[usize::from(*decimals)] as f64;
                numbers.iter().map(|number| (f64::from(*number) / power) as f32).collect()
            }
            PackedVector::Mixed { decimals, numbers } => {
                numbers.iter().zip(decimals).map(|(number, decimals)| divide(*number, *decimals)).collect()
            }
            PackedVector::Single { numbers } => numbers.clone(),
        }
    }

    /// Writes a list of JSON.
    pub fn write(&self, text: &mut String) {
        text.push('[');
        let mut write_list = |count: usize, write: &mut dyn FnMut(usize, &mut String)| {
            for index in 0..count {
                if index > 0 {
                    text.push(',');
                }
                write(index, text);
            }
        };
        match self {
            PackedVector::Decimals { decimals, numbers } => {
                write_list(numbers.len(), &mut |index, text| write_decimal(numbers[index], *decimals, text));
            }
            PackedVector::Mixed { decimals, numbers } => {
                write_list(numbers.len(), &mut |index, text| write_decimal(numbers[index], decimals[index], text));
            }
            PackedVector::Single { numbers } => {
                write_list(numbers.len(), &mut |index, text| text.push_str(&number_text(f64::from(numbers[index]))));
            }
        }
        text.push(']');
    }

    pub fn push_bytes(&self, bytes: &mut Vec<u8>) {
        push_length(bytes, self.len());
        match self {
            PackedVector::Decimals { decimals, numbers } => {
                bytes.push(*decimals);
                bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            }
            PackedVector::Mixed { decimals, numbers } => {
                bytes.push(MIXED_MARK);
                bytes.extend_from_slice(decimals);
                bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            }
            PackedVector::Single { numbers } => {
                bytes.push(SINGLE_MARK);
                bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            }
        }
    }

    /// Reads the bytes of [`PackedVector::push_bytes`]. Returns `None` if they are damaged.
    pub fn from_bytes(reader: &mut ByteReader) -> Option<PackedVector> {
        let count = reader.length()?;
        match reader.byte()? {
            MIXED_MARK => {
                let decimals = reader.take(count)?.to_vec();
                if decimals.iter().any(|decimals| usize::from(*decimals) > DECIMALS_MAX) {
                    return None;
                }
                Some(PackedVector::Mixed { decimals, numbers: reader.words(count)?.iter().map(|word| i32::from_le_bytes(*word)).collect() })
            }
            SINGLE_MARK => {
                Some(PackedVector::Single { numbers: reader.words(count)?.iter().map(|word| f32::from_le_bytes(*word)).collect() })
            }
            decimals if usize::from(decimals) <= DECIMALS_MAX => Some(PackedVector::Decimals {
                decimals,
                numbers: reader.words(count)?.iter().map(|word| i32::from_le_bytes(*word)).collect(),
            }),
            _ => None,
        }
    }
}

pub fn push_length(bytes: &mut Vec<u8>, length: usize) {
    // Entities are far shorter than 4 GiB.
    bytes.extend_from_slice(&(length as u32).to_le_bytes());
}

/// Reads stored bytes. Its methods return `None` if there are too few.
pub struct ByteReader<'a>(pub &'a [u8]);

impl<'a> ByteReader<'a> {
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub fn length(&mut self) -> Option<usize> {
        let bytes: [u8; 4] = self.take(4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    }

    fn words(&mut self, count: usize) -> Option<&'a [[u8; 4]]> {
        Some(self.take(count.checked_mul(4)?)?.as_chunks::<4>().0)
    }
}

/// Calls `read_number` at each number of a list, which returns where it ends. Returns the length of the list.
#[inline(always)]
fn read_list(bytes: &[u8], is_exact: bool, mut read_number: impl FnMut(&[u8], usize) -> Option<usize>) -> Option<usize> {
    let skip_blanks = |offset: usize| {
        let blanks = |offset: usize| bytes[offset..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        if is_exact || offset >= bytes.len() { offset } else { offset + blanks(offset) }
    };
    let mut offset = 1;
    loop {
        offset = skip_blanks(read_number(bytes, skip_blanks(offset))?);
        match bytes.get(offset)? {
            b',' => offset += 1,
            b']' => return Some(offset + 1),
            _ => return None,
        }
    }
}

/// The most digits of a number in i32.
const DIGITS_MAX: usize = 9;

/// Reads a decimal with at most 9 digits. Returns it as a whole number and its number of decimals, and where it ends. Returns `None` for
/// other numbers, and unless [`write_decimal`] writes the same text.
#[inline(always)]
fn read_decimal(bytes: &[u8], start: usize) -> Option<(i32, u8, usize)> {
    let is_negative = *bytes.get(start)? == b'-';
    let digits = start + usize::from(is_negative);
    let (size, decimals, end) = match read_short_fraction(bytes, digits) {
        Some(number) => number,
        None => read_long_decimal(bytes, digits)?,
    };
    // "-0" would lose its sign.
    if (size == 0 && is_negative) || (decimals > PLAIN_DECIMALS && i64::from(size) < POWERS[decimals - PLAIN_DECIMALS]) {
        return None;
    }
    Some((if is_negative { -size } else { size }, decimals as u8, end))
}

/// Reads "0." and one to seven digits, all at once: nearly all numbers of vectors. Needs ten more bytes of text.
#[inline(always)]
fn read_short_fraction(bytes: &[u8], start: usize) -> Option<(i32, usize, usize)> {
    let (prefix, rest) = bytes.get(start..start + 10)?.split_at(2);
    if prefix != b"0." {
        return None;
    }
    // Each byte of `values` is the value of a digit if the character is one, with the first in the lowest byte.
    let values = u64::from_le_bytes(rest.try_into().ok()?) ^ 0x3030_3030_3030_3030;
    let non_digits = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let count = non_digits.trailing_zeros() as usize / 8;
    // Without a digit, with more than seven, or with a 0 at the end.
    if count == 0 || count > 7 || rest[count - 1] == b'0' {
        return None;
    }
    // The digits move to the end, with zeros before them. Then two, four and eight neighbours become one number.
    let values = values << (64 - 8 * count);
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    let number = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) as u32;
    Some((number as i32, count, start + 2 + count))
}

fn read_long_decimal(bytes: &[u8], start: usize) -> Option<(i32, usize, usize)> {
    let mut size: i32 = 0;
    let mut digits = 0;
    let mut offset = start;
    let mut point = None;
    while let Some(byte) = bytes.get(offset) {
        match byte {
            b'0'..=b'9' => {
                // Zeros at the start are no digits.
                digits += usize::from(size > 0 || *byte != b'0');
                if digits > DIGITS_MAX {
                    return None;
                }
                size = size * 10 + i32::from(byte - b'0');
            }
            b'.' if point.is_none() => point = Some(offset),
            b'.' | b'e' | b'E' | b'-' | b'+' => return None,
            _ => break,
        }
        offset += 1;
    }
    let whole_end = point.unwrap_or(offset);
    let decimals = point.map_or(0, |point| offset - point - 1);
    let has_zero_first = bytes.get(start) == Some(&b'0') && whole_end > start + 1;
    let has_zero_last = point.is_some() && (decimals == 0 || bytes[offset - 1] == b'0');
    if whole_end == start || has_zero_first || has_zero_last || decimals > DECIMALS_MAX {
        return None;
    }
    Some((size, decimals, offset))
}

/// Writes a decimal without zeros at its end.
fn write_decimal(number: i32, decimals: u8, text: &mut String) {
    let mut size = number.unsigned_abs();
    let mut decimals = usize::from(decimals);
    while decimals > 0 && size.is_multiple_of(10) {
        size /= 10;
        decimals -= 1;
        if size == 0 {
            decimals = 0;
        }
    }
    // The digits from the end, with at least one before the point.
    let mut buffer = [b'0'; 32];
    let mut start = buffer.len();
    let mut digits = 0;
    while size > 0 || digits <= decimals {
        if decimals > 0 && digits == decimals {
            start -= 1;
            buffer[start] = b'.';
        }
        start -= 1;
        buffer[start] = b'0' + (size % 10) as u8;
        size /= 10;
        digits += 1;
    }
    if number < 0 {
        text.push('-');
    }
    text.extend(buffer[start..].iter().map(|byte| char::from(*byte)));
}
