import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { listOptions } from './list-options.ts'

test('docs/import-data.md names every option of document lists', async () => {
  const text = await readFile(new URL('../../../../docs/import-data.md', import.meta.url), 'utf8')
  const [, names = ''] = /A field with the name of an option\s+\((.*?)\)/s.exec(text) ?? []
  assert.deepEqual(
    names.split(/,\s+/).toSorted(),
    Object.keys(listOptions)
      .map(name => `\`${name}\``)
      .toSorted(),
  )
})
