import { Anchor, Checkbox, Text, UnstyledButton } from '@mantine/core'
import type { ListedDocument } from '#api/documents.ts'
import { t } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { DataTable } from '#ui/data-table.tsx'
import { readHeading } from '#ui/heading.ts'
import { shortenId } from '#ui/shorten-id.ts'
import { readShownValue } from './document-path.ts'
import { formatValue } from './format-value.ts'
import { SelectDocument } from './select-document.tsx'
import { nextSort, readSort } from './sort-documents.ts'
import type { Selection } from './use-selection.ts'

export interface DocumentViewProps {
  columns: readonly string[]
  documents: readonly ListedDocument[]
  selection: Selection
  onOpen: (id: string) => void
}

interface DocumentTableProps extends DocumentViewProps {
  sort: string | undefined
  /** There are too many documents to sort. */
  isUnsorted: boolean
  onSort: (sort: string | undefined) => void
}

/** A row for each document, and a column for each chosen field. The id and the title open the document, a heading sorts. */
export const DocumentTable = (props: DocumentTableProps) => {
  const { columns, documents, selection, onOpen, sort, isUnsorted, onSort } = props
  const { idField, fields } = useCollection().summary
  const title = (name: string) => fields.find(field => field.name === name)?.title ?? name
  const sorted = sort === undefined || isUnsorted ? undefined : readSort(sort)
  const makeHead = (name: string) => {
    const direction =
      sorted?.field === name
        ? sorted.isDescending
          ? ('descending' as const)
          : ('ascending' as const)
        : undefined
    return {
      heading: title(name),
      sort: direction,
      head: (
        <UnstyledButton className="sort-button" onClick={() => onSort(nextSort(sort, name))}>
          {title(name)}
          <span aria-hidden>{direction === undefined ? '' : direction === 'ascending' ? ' ▲' : ' ▼'}</span>
        </UnstyledButton>
      ),
    }
  }
  return (
    <DataTable
      caption={t('Documents')}
      rows={documents}
      rowKey={({ id }) => id}
      columns={[
        {
          heading: t('Select'),
          head: (
            <Checkbox
              aria-label={t('Select all documents of the page')}
              checked={selection.isPageSelected}
              indeterminate={selection.isPartSelected && !selection.isPageSelected}
              onChange={event => selection.selectPage(event.currentTarget.checked)}
            />
          ),
          cell: ({ id }) => <SelectDocument id={id} selection={selection} />,
        },
        {
          ...makeHead(idField),
          cell: ({ id }) => (
            <Anchor
              component="button"
              size="sm"
              ff="monospace"
              ta="start"
              maw="14rem"
              title={id}
              aria-label={id}
              onClick={() => onOpen(id)}
            >
              {shortenId(id)}
            </Anchor>
          ),
          isWhole: true,
        },
        ...columns
          .filter(name => name !== idField)
          .map(name => ({
            ...makeHead(name),
            cell: ({ id, document }: ListedDocument) => (
              <Text size="sm" lineClamp={2} className="document-value" dir="auto">
                {readHeading({ id, attributes: document }).field === name ? (
                  <Anchor component="button" inherit ta="start" onClick={() => onOpen(id)}>
                    {formatValue(readShownValue(document, fields, name))}
                  </Anchor>
                ) : (
                  formatValue(readShownValue(document, fields, name))
                )}
              </Text>
            ),
          })),
      ]}
    />
  )
}
