/** Loaded into a node before all else (`--import`): its clock can be set, as an operator or NTP sets that of a machine. */
import { readFileSync } from 'node:fs'

const RealDate = Date
const file = process.env.QUERENT_TEST_CLOCK ?? ''
let offsetMs = 0
// The clock that measures times between moments goes on as it did.
process.on('SIGUSR2', () => {
  offsetMs = Number(readFileSync(file, 'utf8'))
})

globalThis.Date = class extends RealDate {
  constructor(...parts: unknown[]) {
    // As many arguments as the caller gave.
    super(...((parts.length === 0 ? [RealDate.now() + offsetMs] : parts) as [number]))
  }
  static override now(): number {
    return RealDate.now() + offsetMs
  }
} as DateConstructor
