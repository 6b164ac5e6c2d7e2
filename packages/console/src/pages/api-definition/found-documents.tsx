/** The documents that words find, to choose one for a rule. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { documentIds } from '@querent/contract/document-id'
import type { Api } from '@querent/contract/workspace-file'
import { useQuery } from '@tanstack/react-query'
import { createQueryApi } from '#api/query.ts'
import { readWorkspaceFile } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { readHeading } from '#ui/heading.ts'

export interface FoundDocument {
  id: string
  heading: string
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
export const useFoundDocuments = (place: SearchedPlace, typed: string): FoundDocument[] | undefined => {
  const { workspace, api, definition, endpoint: name } = place
  const [text] = useDebouncedValue(typed, pauseMs)
  const { data: content } = useQuery(readWorkspaceFile(workspace))
  const endpoint = definition.endpoints?.[name]
  const collection = endpoint?.kind === 'match' ? endpoint.collection : undefined
  const fields = collection === undefined ? undefined : content?.file.collections?.[collection]
  const { data } = useQuery({
    queryKey: ['results', workspace, api, name, text, shownMax],
    queryFn: async () => {
      const parameter = (endpoint?.kind === 'match' ? endpoint.parameter : undefined) ?? 'query'
      const { toId } = documentIds(workspace, collection ?? '', fields ?? {})
      const stack = [{ endpoint: name, parameters: [{ name: parameter, value: text }] }]
      const { items } = await createQueryApi(workspace, api, { isLookup: true }).results(stack, {
        count: shownMax,
      })
      return items.flatMap(({ tuple: [entity] }) =>
        entity ? [{ id: toId(entity.id), heading: readHeading(entity).text }] : [],
      )
    },
    enabled: text !== '' && fields !== undefined,
    // A text may be too long, or no query.
    retry: false,
  })
  return text === typed ? data : undefined
}

interface FoundDocumentsProps {
  documents: readonly FoundDocument[]
  onFirst: (id: string) => void
  onLast: (id: string) => void
}

/** `onFirst` and `onLast` place a document. */
export const FoundDocuments = ({ documents, onFirst, onLast }: FoundDocumentsProps) => (
  <Stack gap="xs" role="group" aria-label={t('Results')}>
    {documents.map(({ id, heading }) => (
      <Group key={id} justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
          {heading}
          {heading !== id && (
            <Text span size="xs" c="dimmed">
              {' '}
              {id}
            </Text>
          )}
        </Text>
        <Group gap={4} wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('Place {title} first', { title: heading })}
            onClick={() => onFirst(id)}
          >
            {t('First')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('Place {title} last', { title: heading })}
            onClick={() => onLast(id)}
          >
            {t('Last')}
          </Button>
        </Group>
      </Group>
    ))}
  </Stack>
)
