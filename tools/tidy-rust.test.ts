import assert from 'node:assert/strict'
import { test } from 'node:test'
import { circleRemarks } from './tidy-rust.ts'

/** Returns the messages about a crate, up to their advice. */
const circles = (files: Record<string, string>): string[] =>
  circleRemarks(
    Object.entries(files).map(([name, text]) => ({ path: `packages/engine/src/${name}`, text })),
  ).map(({ path, message }) => `${path.replace('packages/engine/src/', '')}: ${message.split(': move')[0]}`)

test('two modules that import each other are reported, whatever form the import has', () => {
  const importsOfB = [
    'use crate::a::b::Thing;\n',
    'use super::b::Thing;\n',
    'use super::b;\n',
    'use crate::{a::{\n    b::{Thing as Other, Second},\n    d,\n}, x};\n',
    'fn f() { super::b::thing() }\n',
  ]
  for (const text of importsOfB)
    assert.deepEqual(
      circles({ 'lib.rs': '', 'a/mod.rs': '', 'a/b.rs': 'use super::c::Other;\n', 'a/c.rs': text }),
      ['a/b.rs: a::b → a::c → a::b'],
      text,
    )
})

test('tests, comments and other crates are no imports, and the parent may import its children', () => {
  const files = {
    'lib.rs': 'mod a;\nuse a::b::Thing;\n',
    'a/mod.rs': 'pub mod b;\npub mod c;\nuse self::b::Thing;\nuse c::Other;\n',
    'a/b.rs': 'use super::c::Other;\nuse std::a::c;\n',
    'a/c.rs': '/// [`super::b::Thing`]\n#[cfg(test)]\nmod tests {\n    use super::super::b::Thing;\n}\n',
  }
  assert.deepEqual(circles(files), [])
})

test('folders that import each other are reported, even if their files do not', () => {
  const files = {
    'lib.rs': '',
    'a/b.rs': 'use crate::c::d::Thing;\n',
    'a/e.rs': '',
    'c/d.rs': '',
    'c/f.rs': 'use crate::a::e::Thing;\n',
  }
  assert.equal(circles(files).length, 1)
  assert.match(circles(files)[0] ?? '', /a → c → a/)
})

test('a longer circle is reported once', () => {
  const files = {
    'lib.rs': '',
    'a.rs': 'use crate::b::X;\n',
    'b.rs': 'use crate::c::X;\n',
    'c.rs': 'use crate::a::X;\n',
  }
  assert.deepEqual(circles(files), ['a.rs: a → b → c → a'])
})
