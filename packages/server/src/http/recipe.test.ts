import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSteps, type Steps, waitFor } from './recipe.ts'

function* sum(...values: (number | Promise<number>)[]): Steps<number> {
  let total = 0
  for (const value of values) total += yield* waitFor(value)
  return total
}

test('a recipe without promises returns its result synchronously', () => {
  assert.equal(runSteps(sum(1, 2, 3)), 6)
})

test('a recipe waits for a promise where it needs it', async () => {
  const result = runSteps(sum(1, Promise.resolve(2), 3, Promise.resolve(4)))
  assert.ok(result instanceof Promise)
  assert.equal(await result, 10)
})

test('a recipe can catch a rejection; one that it does not catch rejects the recipe', async () => {
  const rejectNumber = () => Promise.reject<number>(new Error('refused'))
  const catchRejection = function* (): Steps<string> {
    try {
      return String(yield* sum(1, rejectNumber()))
    } catch (error) {
      return error instanceof Error ? error.message : ''
    }
  }
  assert.equal(await runSteps(catchRejection()), 'refused')
  await assert.rejects(async () => runSteps(sum(rejectNumber())), /refused/)
})

test('an error before the first wait is thrown synchronously', () => {
  const thrown = function* (): Steps<number> {
    yield* sum(1)
    throw new Error('at once')
  }
  assert.throws(() => runSteps(thrown()), /at once/)
})
