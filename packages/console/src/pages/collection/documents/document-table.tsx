import { Anchor, Text } from '@mantine/core'
import type { StoredDocument } from '#api/documents.ts'
import { t } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { DataTable } from '#ui/data-table.tsx'
import { formatValue } from './format-value.ts'

export interface ListedDocument {
  id: string
  document: StoredDocument
}

export interface DocumentViewProps {
  documents: readonly ListedDocument[]
  onOpen: (id: string) => void
}

/** A row for each document, and a column for each chosen field. The id opens the document. */
export const DocumentTable = ({
  columns,
  documents,
  onOpen,
}: DocumentViewProps & { columns: readonly string[] }) => {
  const { idField, fields } = useCollection().summary
  const title = (name: string) => fields.find(field => field.name === name)?.title ?? name
  return (
    <DataTable
      caption={t('Documents')}
      rows={documents}
      rowKey={({ id }) => id}
      columns={[
        {
          heading: title(idField),
          cell: ({ id }) => (
            <Anchor component="button" size="sm" ff="monospace" ta="start" onClick={() => onOpen(id)}>
              {id}
            </Anchor>
          ),
        },
        ...columns
          .filter(name => name !== idField)
          .map(name => ({
            heading: title(name),
            cell: ({ document }: ListedDocument) => (
              <Text size="sm" lineClamp={2}>
                {formatValue(document[name])}
              </Text>
            ),
          })),
      ]}
    />
  )
}
