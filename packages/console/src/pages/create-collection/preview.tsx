import { Alert, Anchor, Group, Stack, Text, Title } from '@mantine/core'
import { splitAt, splitList } from '@querent/contract/csv-cells'
import { hasVariants, type Proposal, type ProposedField } from '@querent/contract/proposal'
import { readPath } from '@querent/contract/read-path'
import { toTitle } from '@querent/contract/titles'
import { t, tCount } from '#i18n/translate.ts'
import { writeBoolean } from '#ui/boolean-words.ts'
import { FirstDocuments } from './first-documents.tsx'

const optionsShown = 5

interface PreviewProps {
  proposal: Proposal
  /** Whether the documents are rows of CSV, where a cell may be a list. */
  isTable: boolean
}

/** How the first search will look: the first documents of the sample, and the facets with their counts in it. */
export const Preview = ({ proposal: { fields, sample }, isTable }: PreviewProps) => {
  const usedFields = fields.filter(({ use }) => use)
  const documents = splitSample(sample, usedFields)
  return (
    <Stack gap="md">
      <Title order={2} size="h4">
        {t('The first search')}
      </Title>
      {!usedFields.some(({ type, search }) => type === 'text' || (type === 'keyword' && search)) && (
        <Text size="sm">{t('No field is a text, so people cannot search. Make at least one a text.')}</Text>
      )}
      {hasVariants(sample) && (
        <Alert color="yellow" variant="light" role="status">
          {t(
            'Rows without a title are variants of the product above them. Their heading is the words of the handle, which searches find too, and their options. Facets, filters and row filters of the vendor, type and tags miss these rows: fill them in before the import.',
          )}{' '}
          <Anchor href="/console/docs/import-data.html#exports-of-shopify" target="_blank" inherit>
            {t('How to fill them in')}
          </Anchor>
        </Alert>
      )}
      <Group align="flex-start" gap="xl">
        <FirstDocuments sample={documents} fields={usedFields} />
        {usedFields
          .filter(({ facet }) => facet)
          .map(({ name }) => (
            <Stack key={name} gap={0}>
              <Text size="sm" fw={600}>
                {toTitle(name)}
              </Text>
              {countValues(documents, name, isTable).map(([value, count]) => (
                <Text key={value} size="sm">
                  {writeBoolean(value) ?? value} ({count})
                </Text>
              ))}
            </Stack>
          ))}
      </Group>
      <Text size="xs" c="dimmed">
        {tCount(sample.length, 'Counted in the first document.', 'Counted in the first {count} documents.')}
      </Text>
    </Stack>
  )
}

/** The documents with the values that the separators of the fields make of a text, as an import reads them. */
const splitSample = (documents: Proposal['sample'], fields: readonly ProposedField[]): Proposal['sample'] =>
  documents.map(document => ({
    ...document,
    ...Object.fromEntries(
      fields.flatMap(({ name, listSeparator }) => {
        const value = listSeparator === undefined ? undefined : document[name]
        const parts = typeof value === 'string' ? splitAt(value, listSeparator ?? '') : undefined
        return parts === undefined ? [] : [[name, parts]]
      }),
    ),
  }))

const countValues = (documents: Proposal['sample'], name: string, isTable: boolean): [string, number][] => {
  const counts = new Map<string, number>()
  for (const document of documents)
    for (const value of listValues(readPath(document, name), isTable))
      counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, next]) => next - one).slice(0, optionsShown)
}

const listValues = (value: unknown, isTable: boolean): string[] => {
  const parts = isTable && typeof value === 'string' ? splitList(value) : undefined
  const values = parts ?? (Array.isArray(value) ? value : [value])
  return values.filter(part => part !== undefined && part !== null && part !== '').map(String)
}
