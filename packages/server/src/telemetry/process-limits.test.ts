import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitOpenCollections, readProcessLimits } from './process-limits.ts'

const enough = { files: 20_000, maps: 65_530, tasks: Number.POSITIVE_INFINITY }

test('limits that are high enough leave the setting as it is, without a warning', () => {
  assert.deepEqual(fitOpenCollections(1000, enough), { openMax: 1000, warnings: [] })
})

test('limits that are too low reduce the open collections, and each names itself', () => {
  const few = fitOpenCollections(1000, { files: 256, maps: 3_000, tasks: 48 })
  assert.equal(few.openMax, 16)
  assert.deepEqual(
    few.warnings.map(warning => /ulimit -n|max_map_count|TasksMax/.exec(warning)?.[0]),
    ['ulimit -n', 'max_map_count', 'TasksMax'],
  )
})

test('a tiny limit still leaves one collection open', () => {
  assert.equal(fitOpenCollections(1000, { ...enough, files: 4 }).openMax, 1)
})

test('the limits of this process can be read', () => {
  for (const limit of Object.values(readProcessLimits())) assert.ok(limit > 0)
})
