import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimatePace } from './import-pace.ts'

const unknownPace = { documentsPerSecond: undefined, secondsLeft: undefined }

test('an import without documents yet has neither a rate nor a time left', () => {
  assert.deepEqual(estimatePace({ documents: 0, bytesRead: 500, afterMs: 400 }, 1000), unknownPace)
  assert.deepEqual(estimatePace({ documents: 0, bytesRead: 1000, afterMs: 4000 }, 1000), unknownPace)
  assert.deepEqual(estimatePace({ documents: 5, bytesRead: 500, afterMs: 0 }, 1000), unknownPace)
})

test('the time left follows from the part of the file that is read', () => {
  const progress = { documents: 3000, bytesRead: 250, afterMs: 2000 }
  assert.deepEqual(estimatePace(progress, 1000), { documentsPerSecond: 1500, secondsLeft: 6 })
})

test('the time left is unknown when the size is unknown, and when the whole file is read', () => {
  const progress = { documents: 3000, bytesRead: 1000, afterMs: 2000 }
  for (const bytesTotal of [undefined, 1000])
    assert.deepEqual(estimatePace(progress, bytesTotal), {
      documentsPerSecond: 1500,
      secondsLeft: undefined,
    })
})

test('a slow import is not at 0 a second', () => {
  assert.equal(estimatePace({ documents: 3, bytesRead: 1, afterMs: 9000 }, 2).documentsPerSecond, 0.33)
})
