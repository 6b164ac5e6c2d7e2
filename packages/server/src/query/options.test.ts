import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { queryOptionNames } from '@querent/contract/query-options'
import { readOptions } from './options.ts'

test('docs/query.md has a row for each option, and no others', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../../docs/query.md'), 'utf8')
  const [, table = ''] = text.split(/^\| option +\| does .*\n\|[- |]+\n/m)
  const rows = table.split('\n\n', 1)[0]?.split('\n') ?? []
  const documented = rows.flatMap(row =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)[^`]*`/g)].map(([, name]) => name),
  )
  assert.deepEqual(documented.toSorted(), queryOptionNames.toSorted())
})

test('absent options have their defaults', () => {
  const defaults = readOptions('')
  assert.deepEqual(defaults, readOptions('&'))
  const { count, offset, cutoff, config, highlight, rank, attributes, format } = defaults
  assert.deepEqual([count, offset, cutoff, config, highlight, rank], [10, 0, 0, 'default', false, 1])
  assert.deepEqual([attributes, format], [undefined, undefined])
})
