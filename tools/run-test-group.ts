/** Runs the test files named as arguments in this process, and sends the counts to the parent. run-tests.ts starts it. */
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import type { Counts } from './run-tests.ts'

const results = run({ files: process.argv.slice(2).map(file => resolve(file)), isolation: 'none' })
results.on('test:summary', ({ file, counts }) => {
  if (file !== undefined) return
  const { tests, passed, skipped, todo } = counts
  const summary: Counts = { tests, passed, skipped, todo, failed: tests - passed - skipped - todo }
  process.send?.(summary)
  if (summary.failed > 0) process.exitCode = 1
})
await pipeline(results, spec(), process.stdout, { end: false })
process.disconnect?.()
