/**
 * Recipes are generators that wait only for promises. An `await` always costs a promise and a turn of the queue, but nearly everything that
 * authorizes a query is in memory. Write `function*` instead of `async`, and `yield* waitFor(…)` instead of `await`.
 */
import type { MaybePromise } from '#storage/directory'

/** Yields promises to await; returns a T. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>

/** Returns the value, after waiting if it is a promise. Throws what the promise is rejected with. */
export function* waitFor<T>(value: MaybePromise<T>): Steps<T> {
  // The runner resumes a recipe with the result of the promise that it yielded.
  return value instanceof Promise ? ((yield value) as T) : value
}

/** The time limit of a recipe. */
export interface Deadline {
  /** Milliseconds from its start. */
  ms: number
  /** The error to throw into the recipe where it waits. */
  error(): Error
}

/**
 * Runs a recipe synchronously until it yields its first promise. Until then, errors are thrown synchronously too. At the deadline it stops
 * waiting; the work behind the promise goes on.
 */
export const runSteps = <T>(steps: Steps<T>, deadline?: Deadline): MaybePromise<T> => {
  const first = steps.next()
  if (first.done) return first.value
  return deadline ? resumeStepsUntil(deadline, steps, first.value) : resumeSteps(steps, first.value)
}

type StepResult<T> = IteratorResult<Promise<unknown>, T>

const resumeSteps = async <T>(steps: Steps<T>, first: Promise<unknown>): Promise<T> => {
  let next: StepResult<T> = { done: false, value: first }
  while (!next.done) {
    const resume: () => StepResult<T> = await next.value.then(
      value => () => steps.next(value),
      error => () => steps.throw(error),
    )
    next = resume()
  }
  return next.value
}

/** Does the same with a deadline. `Promise.race` would cost a query two more promises for each wait. */
const resumeStepsUntil = <T>(
  { ms, error: expired }: Deadline,
  steps: Steps<T>,
  first: Promise<unknown>,
): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    /** Number of the current wait, so that results of an abandoned wait are ignored. */
    let waitNumber = 0
    const advance = (resume: () => StepResult<T>): void => {
      waitNumber += 1
      try {
        const next = resume()
        if (!next.done) {
          watch(next.value)
          return
        }
        clearTimeout(timer)
        resolve(next.value)
      } catch (error) {
        clearTimeout(timer)
        reject(error)
      }
    }
    const watch = (promise: Promise<unknown>): void => {
      const thisWait = waitNumber
      promise.then(
        value => thisWait === waitNumber && advance(() => steps.next(value)),
        error => thisWait === waitNumber && advance(() => steps.throw(error)),
      )
    }
    const timer = setTimeout(() => advance(() => steps.throw(expired())), ms)
    watch(first)
  })
