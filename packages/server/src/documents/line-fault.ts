/** Says where the text of a document in a stream stops being JSON. */
import { findJsonFault, type JsonFault } from '@querent/contract/json-fault'
import type { Line } from './lines.ts'

export type LineFault = Pick<JsonFault, 'line' | 'message'> & { column?: number }

/** Returns the fault of a document of a stream. The column is not known in the line where an item of a list begins. */
export const findLineFault = ({ text, number, index }: Line): LineFault | undefined => {
  // The number is that of the line where an item begins, behind the blanks before it.
  const fault = findJsonFault(index === undefined ? text : text.trimStart())
  if (!fault) return undefined
  const { line, column, message } = fault
  return { line: number + line - 1, message, ...(index === undefined || line > 1 ? { column } : {}) }
}

/** Writes `line 4, column 7`. */
export const writeFaultPlace = ({ line, column }: { line: number; column?: number }): string =>
  column === undefined ? `line ${line}` : `line ${line}, column ${column}`
