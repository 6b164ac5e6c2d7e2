// biome-ignore-all lint/a11y/noRedundantRoles: an element that style.css makes a block has its own role no more
import { Box } from '@mantine/core'
import type { ReactNode } from 'react'

export interface Column<Row> {
  /** Empty for the column of a row's buttons. */
  heading: string
  cell: (row: Row) => ReactNode
  /** Shown in place of the heading, such as a button that sorts. */
  head?: ReactNode
  /** How the rows are sorted by it. */
  sort?: 'ascending' | 'descending' | undefined
  /** Whether it stays in one line where there is room for columns, such as an address. Wraps if it is longer than 16 rem, or 12 rem. */
  isWhole?: boolean | 'narrow'
}

interface DataTableProps<Row> {
  /** Content of the table, for screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  /** Whether its columns are few and short, so that it fits next to another table. */
  isCompact?: boolean
}

/**
 * A table with a line for each row; a wide one scrolls by itself. On a phone each row is a block with a line for each cell (style.css);
 * the roles say that it is a table all the same. No Table of Mantine's: that brings ScrollArea and Floating UI along, 18 KB compressed.
 */
export const DataTable = <Row,>({
  caption,
  columns,
  rows,
  rowKey,
  isCompact = false,
}: DataTableProps<Row>) => (
  <Box
    tabIndex={0}
    aria-label={caption}
    role="region"
    className="data-table"
    data-compact={isCompact || undefined}
  >
    <table className="table" role="table" aria-label={caption}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ heading, head, sort }) =>
            heading === '' ? (
              <td key="buttons" role="cell" />
            ) : (
              <th key={heading} scope="col" role="columnheader" aria-sort={sort}>
                {head ?? heading}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map(row => (
          <tr key={rowKey(row)} role="row">
            {columns.map(({ heading, cell, isWhole }) => (
              <td key={heading} role="cell" data-heading={heading} data-whole={isWhole || undefined}>
                {/* One box: on a phone the cell is a grid, where each loose part would take a place of its own. */}
                <div>{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Box>
)
