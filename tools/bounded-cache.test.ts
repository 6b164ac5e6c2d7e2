import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openBoundedCache } from './bounded-cache.ts'

test('a cache keeps its files up to its limit, and is empty beyond it', async t => {
  const parent = mkdtempSync(join(tmpdir(), 'querent-cache-'))
  t.after(() => rmSync(parent, { recursive: true }))
  const folder = join(parent, 'cache')
  await openBoundedCache(folder, 10)
  mkdirSync(join(folder, 'inner'))
  for (const path of ['inner/a', 'b']) writeFileSync(join(folder, path), '12345')
  await openBoundedCache(folder, 10)
  assert.deepEqual(readdirSync(folder).toSorted(), ['b', 'inner'])
  const deletion = openBoundedCache(folder, 9)
  assert.deepEqual(readdirSync(folder), [])
  await deletion
  assert.deepEqual(readdirSync(parent), ['cache'])
})
