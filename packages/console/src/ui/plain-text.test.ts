import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainPart, plainText } from './plain-text.ts'

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
  assert.equal(plainPart('a > b', 'a > b and more', true), 'a > b')
})

test('a part of HTML shows nothing of the tags that it is cut in', () => {
  const paragraph = '<p>Come to <a href="/the/old/mill">the mill</a> on <b class="day">Friday</b></p>'
  assert.equal(plainPart('old/mill">the mill</a> on <b cla', paragraph, true), 'the mill on')
})
