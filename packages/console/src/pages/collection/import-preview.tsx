import { Alert, Button, Group, NativeSelect, Paper, Stack, Text } from '@mantine/core'
import type { CollectionSummary } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { TextLink } from '#ui/links.tsx'
import { Loading } from '#ui/loading.tsx'
import { useCollection } from './collection-context.ts'
import { type FieldSummary, listPaths } from './documents/document-path.ts'
import { formatValue } from './documents/format-value.ts'
import {
  delimiters,
  documentsShown,
  OpenQuote,
  readSample,
  renameColumn,
  type Sample,
} from './read-sample.ts'

const delimiterLabels = { ',': t('Comma'), ';': t('Semicolon'), '\t': t('Tab'), '|': t('Bar (|)') }

interface ImportPreviewProps {
  file: File
  /** `delimiter` is undefined if the file is no CSV. */
  onImport: (file: File, delimiter: string | undefined) => void
  onCancel: () => void
}

/** Shows how a file is read, lets the person correct it, and starts the import. */
export const ImportPreview = ({ file, onImport, onCancel }: ImportPreviewProps) => {
  const { workspace, summary } = useCollection()
  const { may } = useWorkspaceAccess(workspace)
  const { idField, generatedId } = summary
  const [delimiter, setDelimiter] = useState<string>()
  const [chosenColumn, setColumn] = useState<string>()
  const { data: sample, error } = useQuery({
    queryKey: ['importSample', file.name, file.size, file.lastModified, idField, delimiter],
    queryFn: async () => {
      const sample = await readSample(file, idField, delimiter)
      const isReadable = generatedId === undefined ? sample.names.includes(idField) : sample.names.length > 1
      const isTable = sample.table !== undefined && delimiter === undefined
      return isReadable || !isTable || !may('edit')
        ? sample
        : askServer(workspace, file, sample, generatedId !== undefined)
    },
    gcTime: 0,
  })
  if (error instanceof OpenQuote)
    return (
      <Alert color="red" variant="light" role="alert">
        {error.message}
      </Alert>
    )
  if (error) return <ErrorNote error={error} />
  if (!sample) return <Loading />
  const { names, documents, table, fault } = sample
  const hasId = generatedId !== undefined || names.includes(idField)
  const column = hasId ? idField : (chosenColumn ?? proposeColumn(sample, idField))
  const { undeclared, isOther } = compareFields(
    summary,
    names.filter(name => name !== column && name !== idField),
  )
  const rows = documents.map((document, row) => ({ document, row }))
  const isRenamed = !hasId && column !== undefined
  // Without a delimiter the server finds it, as for the command line: a file of one column has commas in its values.
  const sentDelimiter = delimiter ?? (isRenamed ? table?.delimiter : undefined)
  const start = () =>
    onImport(
      isRenamed ? renameColumn(file, sample, column, idField) : file,
      // The server takes no other one by name.
      sentDelimiter === '|' ? undefined : sentDelimiter,
    )
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Text fw={600}>{file.name}</Text>
        {table && (
          <Group align="flex-end" gap="sm">
            <NativeSelect
              label={t('Delimiter')}
              data={delimiters.map(value => ({ value, label: delimiterLabels[value] }))}
              value={table.delimiter}
              onChange={event => {
                setDelimiter(event.currentTarget.value)
                setColumn(undefined)
              }}
            />
            {table.headerBytes !== undefined && !hasId && (
              <NativeSelect
                label={t('Column of the id')}
                data={names}
                value={column ?? ''}
                onChange={event => setColumn(event.currentTarget.value)}
              />
            )}
          </Group>
        )}
        {!hasId && documents.length > 0 && (
          <Alert color="yellow" variant="light" role="status">
            {table?.headerBytes === undefined
              ? t('The file has no “{idField}”, which holds the id of a document.', { idField })
              : t('The file has no column “{idField}”. The column “{column}” is imported as the id.', {
                  idField,
                  column: column ?? '',
                })}
          </Alert>
        )}
        {fault !== undefined && (
          <Alert color="yellow" variant="light" role="status">
            {t('This is not JSON: an import takes the documents that can be read, and lists the others.')}{' '}
            {fault}
          </Alert>
        )}
        {isOther ? <OtherFileNote /> : <Undeclared names={undeclared} />}
        {documents.length > 0 && (
          <DataTable
            caption={t('The first documents of {file}', { file: file.name })}
            rows={rows}
            rowKey={({ row }) => String(row)}
            columns={names.map(name => ({
              heading: name || ' ',
              isWhole: documents.every(document => isShortWord(formatValue(document[name]))),
              cell: ({ document }: (typeof rows)[number]) => (
                <Text size="sm" lineClamp={2}>
                  {formatValue(document[name])}
                </Text>
              ),
            }))}
          />
        )}
        <StartButtons file={file} isOther={isOther} onStart={start} onCancel={onCancel} />
      </Stack>
    </Paper>
  )
}

/** Returns the sample that the server reads, such as one of aligned columns, if it finds more columns. The import then reads the same. */
const askServer = async (
  workspace: string,
  file: File,
  sample: Sample,
  isGenerated: boolean,
): Promise<Sample> => {
  const { proposeFor } = await import('./propose-for.ts')
  // The import says what is wrong.
  const proposed = await proposeFor(workspace, file).catch(() => undefined)
  const documents = proposed?.proposal.sample.slice(0, documentsShown) ?? []
  const names = [...new Set(documents.flatMap(document => Object.keys(document)))]
  const isBetter = names.length > sample.names.length || (isGenerated && names.length > 0)
  return isBetter ? { documents, names } : sample
}

/** Whether a value, such as an id or a date, is easier to read in one line. */
const isShortWord = (text: string): boolean => /^\S{0,24}$/u.test(text)

/** Proposes a column whose values differ, one with a usual name first. */
const proposeColumn = ({ names, documents }: Sample, idField: string): string | undefined => {
  const isUnique = (name: string) =>
    new Set(documents.map(document => document[name])).size === documents.length
  const usual = names.find(
    name => name.toLowerCase() === idField.toLowerCase() || /^(id|identifier|key|uri|url|isbn)$/i.test(name),
  )
  return usual ?? names.find(isUnique) ?? names[0]
}

/** Whether a field has its values in the attribute, or inside of it. */
const readsFrom = (field: FieldSummary, attribute: string): boolean =>
  listPaths(field).some(path => path === attribute || path.startsWith(`${attribute}.`))

/** Returns the attributes without a field, and whether the file is likely another one: no field has its values in it. */
const compareFields = ({ idField, fields }: CollectionSummary, attributes: readonly string[]) => {
  const undeclared = attributes.filter(name => !fields.some(field => readsFrom(field, name)))
  const isOther =
    attributes.length > 0 &&
    undeclared.length === attributes.length &&
    fields.some(({ name }) => name !== idField)
  return { undeclared, isOther }
}

const OtherFileNote = () => {
  const { title, collection } = useCollection().summary
  return (
    <Alert color="red" variant="light" role="status">
      {t('Nothing in this file is a field of {collection}. Is it the right file?', {
        collection: title ?? collection,
      })}
    </Alert>
  )
}

interface StartButtonsProps {
  file: File
  isOther: boolean
  onStart: () => void
  onCancel: () => void
}

const StartButtons = ({ file, isOther, onStart, onCancel }: StartButtonsProps) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onCancel}>
      {t('Cancel')}
    </Button>
    <Button onClick={onStart} {...(isOther ? { color: 'red' } : {})}>
      {isOther ? t('Import anyway') : t('Import {file}', { file: file.name })}
    </Button>
  </Group>
)

/** Names attributes that queries cannot search, because no field declares them. */
const Undeclared = ({ names }: { names: readonly string[] }) => {
  const { workspace, summary } = useCollection()
  const { may } = useWorkspaceAccess(workspace)
  if (names.length === 0) return null
  const list = names.join(', ')
  return (
    <Alert color="yellow" variant="light" role="status">
      {may('edit')
        ? tNodes('Stored and returned, but not searched: {list}. {declare}', {
            list,
            declare: (
              <TextLink
                to="/w/$workspace/data/$collection/fields"
                params={{ workspace, collection: summary.collection }}
              >
                {t('Declare them')}
              </TextLink>
            ),
          })
        : t('Stored and returned, but not searched: {list}.', { list })}
    </Alert>
  )
}
