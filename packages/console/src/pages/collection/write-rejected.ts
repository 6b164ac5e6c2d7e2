/** The rejected lines of an import as CSV: line, reason, content. */
import { escapeFormula } from '@querent/contract/csv-cells'
import type { ErrorPlace } from '@querent/contract/errors'
import { stringify } from 'csv-stringify/browser/esm/sync'
import { readText } from './read-text.ts'

/** Reads the file up to the last rejected line. */
export const writeRejected = async (file: File, errors: readonly ErrorPlace[]): Promise<string> => {
  const contents = await readLines(file, new Set(errors.map(({ line = 0 }) => line)))
  return stringify(
    errors.map(({ line = 0, message }) => ({ line, reason: message, content: contents.get(line) ?? '' })),
    { header: true, record_delimiter: '\r\n', cast: { string: escapeFormula } },
  )
}

/** Returns the texts of lines, counted from 1. */
const readLines = async (file: File, wanted: ReadonlySet<number>): Promise<Map<number, string>> => {
  const last = Math.max(...wanted)
  const lines = new Map<number, string>()
  let number = 1
  let rest = ''
  for await (const text of readText(file)) {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      if (wanted.has(number)) lines.set(number, part.replace(/^\ufeff|\r$/g, ''))
      number += 1
    }
    if (number > last) break
  }
  if (wanted.has(number)) lines.set(number, rest)
  return lines
}
