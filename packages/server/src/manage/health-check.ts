/** Makes health checks of coded sentences, so that the console can show them in other languages. */
import { type HealthPart, healthPart, writeHealth } from '@querent/contract/health-texts'
import type { HealthCheck } from '@querent/contract/manage'

type HealthSubject = Pick<HealthCheck, 'name' | 'state'>

/** `advice`: what to do; absent if the check passed. */
export const makeHealthCheck = (
  { name, state }: HealthSubject,
  message: readonly HealthPart[],
  advice?: HealthPart,
): HealthCheck => ({
  name,
  state,
  message: writeHealth(message),
  messageParts: [...message],
  ...(advice && { advice: writeHealth([advice]), adviceParts: [advice] }),
})

/** Puts semicolons between sentences. */
export const joinParts = (parts: readonly HealthPart[]): HealthPart[] =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [healthPart('next'), part]))
