/** Tests of the marks that outlive failures of their store. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withPatience } from '#test-wait'
import { openSavedMarks } from './saved-marks.ts'

/** Like the addon: the count of a closed generation is returned once. */
const createNative = () => {
  const open = new Map<string, number>()
  let closed: [string, number][] = []
  let changes = 0
  return {
    native: {
      changes: () => changes,
      writeCounts: () => JSON.stringify([...closed.splice(0), ...open]),
    },
    write(id: string, writes: number) {
      open.set(id, writes)
      changes += 1
    },
    close(id: string) {
      closed = [...closed, [id, open.get(id) ?? 0]]
      open.delete(id)
    },
  }
}

const createStore = () => {
  const marks = new Map<string, number>()
  /** Runs before each save. */
  const hooks = { beforeSave: async (): Promise<void> => {} }
  return {
    marks,
    hooks,
    store: {
      read: async () => new Map(marks),
      async save(saved: ReadonlyMap<string, number>) {
        await hooks.beforeSave()
        for (const [id, writes] of saved) marks.set(id, writes)
      },
      async remove(id: string) {
        marks.delete(id)
      },
    },
  }
}

test('the count of a generation that was closed is saved after a failed save', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { native, write, close } = createNative()
  const { marks, hooks, store } = createStore()
  const saved = await openSavedMarks(native, store)
  write('a', 3)
  close('a')
  const { promise: failed, resolve } = Promise.withResolvers<void>()
  hooks.beforeSave = async () => {
    resolve()
    throw new Error('the storage does not answer')
  }
  t.mock.timers.tick(2_000)
  await withPatience(failed, () => 'marks are saved')
  hooks.beforeSave = async () => {}
  assert.equal(saved.knownWrites('a'), 3)
  await saved.close()
  assert.deepEqual([...marks], [['a', 3]])
})

test('the mark of a dropped generation is not saved again, by a running save or a later one', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { native, write, close } = createNative()
  const { marks, hooks, store } = createStore()
  const saved = await openSavedMarks(native, store)
  write('a', 3)
  write('b', 1)
  const started = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  hooks.beforeSave = () => {
    started.resolve()
    return mayEnd.promise
  }
  t.mock.timers.tick(2_000)
  await withPatience(started.promise, () => 'marks are saved')
  write('a', 4)
  close('a')
  const removed = saved.remove('a')
  mayEnd.resolve()
  await removed
  assert.deepEqual([...marks], [['b', 1]])
  assert.equal(saved.knownWrites('a'), 0)
  write('b', 2)
  await saved.close()
  assert.deepEqual([...marks], [['b', 2]])
})
