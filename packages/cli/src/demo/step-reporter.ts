import { dim, say } from '#terminal/output'

/** Prints the result and the duration of each step. */
export const createStepReporter = (globals: { json?: true | undefined }) => {
  const startedMs = performance.now()
  const secondsSince = (ms: number): number => (performance.now() - ms) / 1000
  const step = async <T>(work: () => Promise<T>, done: (result: T) => string): Promise<T> => {
    const stepStartedMs = performance.now()
    const result = await work()
    const seconds = `${secondsSince(stepStartedMs).toFixed(2)} s`
    say(globals, `${dim(seconds.padStart(8))}  ${done(result)}`)
    return result
  }
  return { step, seconds: () => secondsSince(startedMs) }
}
