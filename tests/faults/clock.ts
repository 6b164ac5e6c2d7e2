/** Preloaded into a node with `--import`. It makes the clock adjustable, as an operator or NTP adjusts the clock of a machine. */
import { readFileSync } from 'node:fs'

const RealDate = Date
const file = process.env.QUERENT_TEST_CLOCK ?? ''
let offsetMs = 0
// The monotonic clock continues as before.
process.on('SIGUSR2', () => {
  offsetMs = Number(readFileSync(file, 'utf8'))
})

globalThis.Date = class extends RealDate {
  constructor(...parts: unknown[]) {
    // Passes as many arguments as the caller gave.
    super(...((parts.length === 0 ? [RealDate.now() + offsetMs] : parts) as [number]))
  }
  static override now(): number {
    return RealDate.now() + offsetMs
  }
} as DateConstructor
