import { Checkbox, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { findTextParameter, identifyTest } from '@querent/client/relevance/plan-tests'
import { documentIds } from '@querent/contract/document-id'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createQueryApi } from '#api/query.ts'
import { t } from '#i18n/translate.ts'
import { CutNote } from '#ui/cut-note.tsx'
import { useStoredDocument } from '#ui/document-name.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { readHeading } from '#ui/heading.ts'
import { tellApart } from '#ui/tell-apart.ts'
import { testStack } from './try-it-search.ts'

/** Pause in typing before the query runs. */
const pauseMs = 300
const shownMax = 6

interface ExpectedDocumentsProps {
  file: WorkspaceFile
  place: { api: string; endpoint: string }
  query: string
  selectedIds: readonly string[]
  onChange: (selectedIds: string[]) => void
}

/** The results of the query, to tick the ones that people must find. */
export const ExpectedDocuments = ({ file, place, query, selectedIds, onChange }: ExpectedDocumentsProps) => {
  const { workspace } = file
  const { api, endpoint } = place
  const [text] = useDebouncedValue(query.trim(), pauseMs)
  const { data, error } = useQuery({
    queryKey: ['expected', workspace, api, endpoint, text],
    queryFn: async () => {
      const queries = createQueryApi(workspace, api, { isLookup: true })
      const parameter = findTextParameter(await queries.about(), place)
      const { items } = await queries.results(testStack({ endpoint, parameter }, text), {
        count: shownMax + 1,
      })
      return items.flatMap(({ tuple }) => tuple)
    },
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
  if (text === '') return null
  if (error) return <ErrorNote error={error} />
  if (data?.length === 0 && selectedIds.length === 0)
    return (
      <Text size="sm" c="dimmed" role="status">
        {t('The query finds nothing yet. Enter the documents that it must find.')}
      </Text>
    )
  const { collection } = identifyTest(file, { ...place, query: text, expect: [] })
  const { toId } = documentIds(workspace, collection, file.collections?.[collection] ?? {})
  const entities = (data ?? []).slice(0, shownMax)
  const differences = tellApart(entities)
  const results = entities.map(entity => {
    const id = toId(entity.id)
    const difference = differences.get(entity.id)
    const description = difference === undefined ? id : `${difference} · ${id}`
    return { id, heading: readHeading(entity).text, description }
  })
  // A document stays selected when the query changes.
  const selectedElsewhere = selectedIds.filter(id => !results.some(result => result.id === id))
  return (
    <Checkbox.Group
      label={t('Results')}
      description={t('Select the documents that people must find.')}
      value={[...selectedIds]}
      onChange={onChange}
    >
      <Stack gap="xs" mt="xs">
        {results.map(({ id, heading, description }) => (
          <Checkbox key={id} value={id} label={heading} description={description} />
        ))}
        {data && data.length > shownMax && <CutNote count={shownMax} />}
        {selectedElsewhere.map(id => (
          <ElsewhereDocument key={id} workspace={workspace} place={place} id={id} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}

interface ElsewhereDocumentProps {
  workspace: string
  place: ExpectedDocumentsProps['place']
  id: string
}

/** A chosen document that the query does not find among the first. */
const ElsewhereDocument = ({ workspace, place, id }: ElsewhereDocumentProps) => {
  const { shortId, stored } = useStoredDocument({ workspace, ...place, id })
  const heading = stored ? readHeading({ id: shortId, attributes: stored.document }).text : id
  const description = [...(heading === id ? [] : [id]), t('Not among the first results')].join(' · ')
  return <Checkbox value={id} label={heading} description={description} />
}
