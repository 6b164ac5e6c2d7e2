import Table from 'cli-table3'
import { bold, plain } from './output.ts'

/** Characters of a line where stdout is no terminal. */
const plainWidth = 120

/** Characters of a line of the terminal. */
export const lineWidth = (): number => process.stdout.columns ?? plainWidth

export interface Column {
  title: string
  /** Characters; absent: as wide as its longest value. */
  width?: number
  right?: true
}

/** A table for people. Values in columns with a width are wrapped; a value may have lines. */
export const table = (columns: Column[], rows: string[][]): string => {
  const made = new Table({
    head: columns.map(column => bold(column.title)),
    colWidths: columns.map(column => column.width ?? null),
    colAligns: columns.map(column => (column.right ? 'right' : 'left')),
    wordWrap: true,
    style: { head: [], border: [], compact: true },
  })
  // Before it is laid out: what is not shown has no width.
  made.push(...rows.map(row => row.map(cell => cell.split('\n').map(plain).join('\n'))))
  return made.toString()
}

/** A table of everything that is there, or a sentence when nothing is. */
export const listing = (titles: string[], rows: string[][], none: string): string =>
  rows.length === 0
    ? none
    : table(
        titles.map(title => ({ title })),
        rows,
      )
