import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergeTexts } from './merge-texts.ts'

const lines = (...texts: string[]) => `${texts.join('\n')}\n`
const base = lines('workspace: shop', 'title: Shop', 'collections:', '  a: {}')

test('changes of different lines are all kept, and none conflict', () => {
  const mine = lines('workspace: shop', 'title: Shop', 'collections:', '  a: {}', '# my comment')
  const theirs = lines('workspace: shop', 'title: The shop', 'collections:', '  a: {}')
  assert.deepEqual(mergeTexts(base, mine, theirs, 'theirs'), {
    text: lines('workspace: shop', 'title: The shop', 'collections:', '  a: {}', '# my comment'),
    conflicts: [],
  })
})

test('lines that both added at one place are all kept; the same change of both is made once', () => {
  const mine = lines('workspace: shop', 'title: New', 'collections:', '  a: {}', '  b: {}')
  const theirs = lines('workspace: shop', 'title: New', 'collections:', '  a: {}', '  c: {}')
  assert.deepEqual(mergeTexts(base, mine, theirs, 'mine'), {
    text: lines('workspace: shop', 'title: New', 'collections:', '  a: {}', '  c: {}', '  b: {}'),
    conflicts: [],
  })
})

test('lines that both changed conflict, and the caller chooses whose stay', () => {
  const mine = lines('workspace: shop', 'title: Mine', 'collections:', '  a: {}')
  const theirs = lines('workspace: shop', 'title: Theirs', 'collections:', '  a: {}')
  const conflicts = [{ mine: 'title: Mine', theirs: 'title: Theirs' }]
  assert.deepEqual(mergeTexts(base, mine, theirs, 'mine'), { text: mine, conflicts })
  assert.deepEqual(mergeTexts(base, mine, theirs, 'theirs'), { text: theirs, conflicts })
})

test('a deletion conflicts with a change of the same line only', () => {
  const mine = lines('workspace: shop', 'collections:', '  a: {}')
  const theirs = lines('workspace: shop', 'title: Shop', 'collections:', '  b: {}')
  assert.deepEqual(
    mergeTexts(base, mine, theirs, 'theirs').text,
    lines('workspace: shop', 'collections:', '  b: {}'),
  )
  const renamed = base.replace('title: Shop', 'title: Theirs')
  assert.equal(mergeTexts(base, mine, renamed, 'mine').conflicts.length, 1)
})
