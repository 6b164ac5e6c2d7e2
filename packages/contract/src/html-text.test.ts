import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMarkup, removeCutTags, removeTags, shortenValue } from './html-text.ts'

test('a value is shortened by its text, so that no tag and no entity is cut in two', () => {
  const html =
    '<p class="intro">Tom &amp; Jerry <a href="https://example.org/a/long/address">come along</a>.</p>'
  assert.equal(shortenValue(html, 15), 'Tom &amp; Jerry')
  assert.equal(shortenValue(html, 7), 'Tom ')
  assert.equal(shortenValue(html, 80), 'Tom &amp; Jerry come along.')
  assert.equal(shortenValue('a < b, and more', 5), 'a < b')
})

test('a part of HTML loses what is left of tags at its ends', () => {
  assert.equal(removeCutTags('href="/x">Jerry</a> and <span cla'), 'Jerry</a> and ')
  assert.equal(removeTags(removeCutTags('href="/x">Jerry</a> and <')), 'Jerry and')
  assert.equal(removeCutTags('smaller < larger'), 'smaller < larger')
  assert.ok(!isMarkup('a <div> is a block'))
})
