/**
 * Recipes wait for what is not known yet, and for nothing else: each `await` costs a promise and a turn of the queue, though nearly all that
 * authorises a query is in memory. They read like asynchronous functions: `function*` for `async`, `yield* known(…)` for `await`.
 */
import type { MaybePromise } from '#storage/directory'

/** Gives a T; what it hands out before is waited for. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>

/** The value, waited for where it is a promise. Throws what that is rejected with. */
export function* waitFor<T>(value: MaybePromise<T>): Steps<T> {
  // A recipe is resumed with what the promise gave that it handed out.
  return value instanceof Promise ? ((yield value) as T) : value
}

/** When a recipe has to be done. */
export interface Deadline {
  /** Milliseconds from its start. */
  ms: number
  /** Thrown into the recipe where it waits then. */
  error(): Error
}

/**
 * Runs a recipe: at once, and throws what it throws, as far as all it asks for is known. At the deadline it stops waiting; what it waited
 * for goes on without it.
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

/** The same with a deadline, without a race of promises: that would cost a query two more for each of its waits. */
const resumeStepsUntil = <T>(
  { ms, error: expired }: Deadline,
  steps: Steps<T>,
  first: Promise<unknown>,
): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    /** Number of the current wait. Results of a wait that was given up are ignored. */
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
