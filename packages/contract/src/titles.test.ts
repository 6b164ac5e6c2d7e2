import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toTitle } from './titles.ts'

test('a title has the words of a name, and an abbreviation stays as it is', () => {
  const titles = {
    date_published: 'Date published',
    priceEur: 'Price eur',
    'MwSt.': 'MwSt.',
    'Art.-Nr.': 'Art.-Nr.',
  }
  for (const [name, title] of Object.entries(titles)) assert.equal(toTitle(name), title)
})
