/**
 * Recipes wait for what is not known yet, and for nothing else: each `await` costs a promise and a turn of the queue, though nearly all that
 * authorises a query is in memory. They read like asynchronous functions: `function*` for `async`, `yield* known(…)` for `await`.
 */
import type { Known } from '#storage/directory'

/** Gives a T; what it hands out before is waited for. */
export type Recipe<T> = Generator<Promise<unknown>, T, unknown>

/** The value, waited for where it is a promise. Throws what that is rejected with. */
export function* known<T>(value: Known<T>): Recipe<T> {
  // A recipe is resumed with what the promise gave that it handed out.
  return value instanceof Promise ? ((yield value) as T) : value
}

/** Runs a recipe: at once, and throws what it throws, as far as all it asks for is known. */
export const followed = <T>(recipe: Recipe<T>): Known<T> => {
  const first = recipe.next()
  return first.done ? first.value : resumed(recipe, first.value)
}

const resumed = async <T>(recipe: Recipe<T>, first: Promise<unknown>): Promise<T> => {
  let next: IteratorResult<Promise<unknown>, T> = { done: false, value: first }
  while (!next.done) {
    const resume: () => typeof next = await next.value.then(
      value => () => recipe.next(value),
      error => () => recipe.throw(error),
    )
    next = resume()
  }
  return next.value
}
