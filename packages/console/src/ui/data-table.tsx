import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

export interface Column<Row> {
  /** Empty for the column of a row's buttons. */
  heading: string
  cell: (row: Row) => ReactNode
}

interface DataTableProps<Row> {
  /** What the table holds, for a screen reader. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
}

/**
 * A table with a line for each row; a wide one scrolls by itself. On a phone each row is a block with a line for each cell (style.css);
 * the roles say that it is a table all the same.
 */
export const DataTable = <Row,>({ caption, columns, rows, keyOf }: DataTableProps<Row>) => (
  <Table.ScrollContainer
    minWidth={0}
    type="native"
    tabIndex={0}
    aria-label={caption}
    role="region"
    className="data-table"
  >
    <Table verticalSpacing="sm" highlightOnHover role="table" aria-label={caption}>
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {columns.map(({ heading }) =>
            heading === '' ? (
              <Table.Td key="buttons" role="cell" />
            ) : (
              <Table.Th key={heading} scope="col" role="columnheader">
                {heading}
              </Table.Th>
            ),
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">
        {rows.map(row => (
          <Table.Tr key={keyOf(row)} role="row">
            {columns.map(({ heading, cell }) => (
              <Table.Td key={heading} role="cell" data-heading={heading}>
                {cell(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
)
