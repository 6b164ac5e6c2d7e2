import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followed, known, type Recipe } from './recipe.ts'

function* sum(...values: (number | Promise<number>)[]): Recipe<number> {
  let total = 0
  for (const value of values) total += yield* known(value)
  return total
}

test('what is known is there at once, without a promise', () => {
  assert.equal(followed(sum(1, 2, 3)), 6)
})

test('what is not known is waited for, in its place', async () => {
  const result = followed(sum(1, Promise.resolve(2), 3, Promise.resolve(4)))
  assert.ok(result instanceof Promise)
  assert.equal(await result, 10)
})

test('a recipe catches what a promise is rejected with; what it does not catch rejects it', async () => {
  const refused = () => Promise.reject<number>(new Error('refused'))
  const caught = function* (): Recipe<string> {
    try {
      return String(yield* sum(1, refused()))
    } catch (error) {
      return error instanceof Error ? error.message : ''
    }
  }
  assert.equal(await followed(caught()), 'refused')
  await assert.rejects(async () => followed(sum(refused())), /refused/)
})

test('what a recipe throws before it waits is thrown', () => {
  const thrown = function* (): Recipe<number> {
    yield* sum(1)
    throw new Error('at once')
  }
  assert.throws(() => followed(thrown()), /at once/)
})
