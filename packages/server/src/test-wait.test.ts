import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitUntil, withPatience } from './test-wait.ts'

const never = () => new Promise<never>(() => {})

test('a wait gives up with a description of the state, also if its read hangs', async () => {
  const cases = [() => false, () => undefined, never]
  for (const read of cases)
    await assert.rejects(
      waitUntil(read, () => 'the sun rises', 1),
      /until the sun rises$/,
    )
})

test('a wait returns the first result, and passes on the error of its read', async () => {
  let count = 0
  assert.equal(await waitUntil(() => (++count < 3 ? undefined : count)), 3)
  await assert.rejects(
    waitUntil(() => {
      throw new TypeError('wrong')
    }),
    TypeError,
  )
})

test('a promise that settles in time is unchanged, and one that does not is named', async () => {
  assert.equal(await withPatience(Promise.resolve(1), () => 'it settles'), 1)
  await assert.rejects(
    withPatience(Promise.reject(new TypeError('wrong')), () => 'it settles'),
    TypeError,
  )
  await assert.rejects(
    withPatience(never(), () => 'it settles', 1),
    /until it settles$/,
  )
})
