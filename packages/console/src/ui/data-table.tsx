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

/** A table with a line for each row; a wide one scrolls by itself. */
export const DataTable = <Row,>({ caption, columns, rows, keyOf }: DataTableProps<Row>) => (
  <Table.ScrollContainer
    minWidth={columns.length * 130}
    type="native"
    tabIndex={0}
    aria-label={caption}
    role="region"
  >
    <Table verticalSpacing="sm" highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ heading }) =>
            heading === '' ? (
              <Table.Td key="buttons" />
            ) : (
              <Table.Th key={heading} scope="col">
                {heading}
              </Table.Th>
            ),
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(row => (
          <Table.Tr key={keyOf(row)}>
            {columns.map(({ heading, cell }) => (
              <Table.Td key={heading}>{cell(row)}</Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
)
