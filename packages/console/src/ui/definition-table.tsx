/** A table of named entries of the workspace file, such as fields or endpoints, each with the dialogs that edit and delete it. */
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { DataTable } from './data-table.tsx'
import type { DialogState } from './dialog-button.tsx'
import { EntryButtons } from './entry-buttons.tsx'

interface DefinitionTableProps<Entry> {
  caption: string
  /** Heading of the names. */
  heading: string
  entries: readonly (readonly [name: string, entry: Entry])[]
  columns: readonly { heading: string; cell: (entry: Entry) => ReactNode }[]
  editDialog: (name: string, dialog: DialogState) => ReactNode
  deleteDialog: (name: string, dialog: DialogState) => ReactNode
}

export const DefinitionTable = <Entry extends { title?: string | undefined }>({
  caption,
  heading,
  entries,
  columns,
  editDialog,
  deleteDialog,
}: DefinitionTableProps<Entry>) => (
  <DataTable
    caption={caption}
    rows={entries}
    rowKey={([name]) => name}
    columns={[
      {
        heading,
        cell: ([name, { title = name }]) => (
          <>
            <Text size="sm" fw={600}>
              {title}
            </Text>
            {title !== name && (
              <Text size="xs" c="dimmed" ff="monospace">
                {name}
              </Text>
            )}
          </>
        ),
      },
      ...columns.map(column => ({
        heading: column.heading,
        cell: ([, entry]: readonly [string, Entry]) => column.cell(entry),
      })),
      {
        heading: '',
        cell: ([name]) => (
          <EntryButtons
            name={name}
            editDialog={dialog => editDialog(name, dialog)}
            deleteDialog={dialog => deleteDialog(name, dialog)}
          />
        ),
      },
    ]}
  />
)
