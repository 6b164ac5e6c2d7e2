import assert from 'node:assert/strict'
import { test } from 'node:test'
import { distinguishTitles } from './distinct-titles.ts'

test('a title that several have is followed by the name', () => {
  const items = [
    { collection: 'products', title: 'Products' },
    { collection: 'products-2', title: 'Products' },
    { collection: 'books', title: 'Books' },
  ]
  const { items: distinct, next } = distinguishTitles({ items, next: null })
  assert.deepEqual(
    [...distinct.map(({ title }) => title), next],
    ['Products (products)', 'Products (products-2)', 'Books', null],
  )
})
