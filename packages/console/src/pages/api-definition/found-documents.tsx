/** The documents that words find, to choose one for a rule. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { documentIds } from '@querent/contract/document-id'
import type { Api } from '@querent/contract/workspace-file'
import { useQuery } from '@tanstack/react-query'
import { createQueryApi } from '#api/query.ts'
import { readWorkspaceFile } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { CutNote } from '#ui/cut-note.tsx'
import { readHeading } from '#ui/heading.ts'
import { tellApart } from '#ui/tell-apart.ts'

export interface FoundDocument {
  id: string
  heading: string
  /** Values that tell it apart from others with its heading. */
  difference: string | undefined
}

export interface FoundList {
  documents: readonly FoundDocument[]
  /** Whether the text finds more. */
  hasMore: boolean
}

export interface SearchedPlace {
  workspace: string
  api: string
  definition: Api
  /** Its kind is match. */
  endpoint: string
}

const shownMax = 5
/** Pause in typing before the query runs. */
const pauseMs = 300

/** Returns what the endpoint finds; undefined while that is not known, and for no text. */
export const useFoundDocuments = (place: SearchedPlace, typed: string): FoundList | undefined => {
  const { workspace, api, definition, endpoint: name } = place
  const [text] = useDebouncedValue(typed, pauseMs)
  const { data: content } = useQuery(readWorkspaceFile(workspace))
  const endpoint = definition.endpoints?.[name]
  const collection = endpoint?.kind === 'match' ? endpoint.collection : undefined
  const fields = collection === undefined ? undefined : content?.file.collections?.[collection]
  const { data } = useQuery({
    queryKey: ['found', workspace, api, name, text],
    queryFn: async () => {
      const parameter = (endpoint?.kind === 'match' ? endpoint.parameter : undefined) ?? 'query'
      const { toId } = documentIds(workspace, collection ?? '', fields ?? {})
      const stack = [{ endpoint: name, parameters: [{ name: parameter, value: text }] }]
      const { items } = await createQueryApi(workspace, api, { isLookup: true }).results(stack, {
        count: shownMax + 1,
      })
      const entities = items.flatMap(({ tuple: [entity] }) => entity ?? []).slice(0, shownMax)
      const differences = tellApart(entities)
      const documents = entities.map(entity => ({
        id: toId(entity.id),
        heading: readHeading(entity).text,
        difference: differences.get(entity.id),
      }))
      return { documents, hasMore: items.length > shownMax }
    },
    enabled: text !== '' && fields !== undefined,
    // A text may be too long, or no query.
    retry: false,
  })
  return text === typed ? data : undefined
}

const nameFound = (heading: string, difference: string | undefined): string =>
  difference === undefined ? heading : `${heading}, ${difference}`

interface FoundDocumentsProps {
  list: FoundList
  onFirst: (id: string) => void
  onLast: (id: string) => void
}

/** `onFirst` and `onLast` place a document. */
export const FoundDocuments = ({ list: { documents, hasMore }, onFirst, onLast }: FoundDocumentsProps) => (
  <Stack gap="xs" role="group" aria-label={t('Results')}>
    {documents.map(({ id, heading, difference }) => (
      <Group key={id} justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
          {heading}
          {heading !== id && (
            <Text span size="xs" c="dimmed">
              {' '}
              {[...(difference === undefined ? [] : [difference]), id].join(' · ')}
            </Text>
          )}
        </Text>
        <Group gap={4} wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('Place {title} first', { title: nameFound(heading, difference) })}
            onClick={() => onFirst(id)}
          >
            {t('First')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('Place {title} last', { title: nameFound(heading, difference) })}
            onClick={() => onLast(id)}
          >
            {t('Last')}
          </Button>
        </Group>
      </Group>
    ))}
    {hasMore && <CutNote count={documents.length} />}
  </Stack>
)
