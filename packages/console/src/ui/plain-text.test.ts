import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMarkup, plainText } from './plain-text.ts'

test('HTML is text without tags, and blocks of it stand apart', () => {
  assert.equal(
    plainText('<p>Come along! Everyone is <b>welcome</b>.</p>'),
    'Come along! Everyone is welcome.',
  )
  assert.equal(plainText('<ul class="a"><li>One</li><li>Two</li></ul>'), 'One Two')
  assert.equal(plainText('Line<br>break<!-- note --><script>alert(1)</script>'), 'Line break')
})

test('a text about tags, or with signs that look like them, stays as it is', () => {
  for (const text of ['Use <div> for layout', 'a < b > c', 'x <3', 'List<string>', ' two  blanks '])
    assert.equal(plainText(text), text)
  assert.ok(!isMarkup('Use <div> for layout'))
})
