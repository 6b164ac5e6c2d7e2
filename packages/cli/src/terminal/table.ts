import Table from 'cli-table3'
import { bold, sanitizeLine } from './output.ts'

/** Characters of a line if stdout is not a terminal. */
const plainWidth = 120

/** Returns the characters of a line of the terminal. */
export const lineWidth = (): number => process.stdout.columns ?? plainWidth

export interface Column {
  title: string
  /** Width in characters; absent: as wide as the longest value. */
  width?: number
  right?: true
}

/** Formats a table for people. Wraps values in columns with a width. A value may have several lines. */
export const table = (columns: Column[], rows: string[][]): string => {
  const output = new Table({
    head: columns.map(column => bold(column.title)),
    colWidths: columns.map(column => column.width ?? null),
    colAligns: columns.map(column => (column.right ? 'right' : 'left')),
    wordWrap: true,
    style: { head: [], border: [], compact: true },
  })
  // Sanitize before the layout, because removed characters have no width.
  output.push(...rows.map(row => row.map(cell => cell.split('\n').map(sanitizeLine).join('\n'))))
  return output.toString()
}

/** Formats rows as a table, or returns a sentence if there are none. */
export const formatListing = (titles: string[], rows: string[][], emptyText: string): string =>
  rows.length === 0
    ? emptyText
    : table(
        titles.map(title => ({ title })),
        rows,
      )
