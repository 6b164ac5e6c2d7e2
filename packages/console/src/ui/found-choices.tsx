/** The documents of a collection that words find, to choose one instead of typing its id. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { listDocuments } from '#api/documents.ts'
import { t } from '#i18n/translate.ts'
import { CutNote } from './cut-note.tsx'
import { readHeading } from './heading.ts'
import { tellApart } from './tell-apart.ts'

const shownMax = 5
/** Pause in typing before the search runs. */
const pauseMs = 300

export interface ChosenDocument {
  id: string
  heading: string
  difference: string | undefined
}

interface SearchedCollection {
  workspace: string
  collection: string
  /** Undefined while it is not known. */
  idField: string | undefined
}

/** Returns what the words find; undefined while that is not known, for no words, and for an id. */
export const useChoices = ({ workspace, collection, idField }: SearchedCollection, typed: string) => {
  const [search] = useDebouncedValue(typed, pauseMs)
  const { data } = useQuery({
    queryKey: ['documents', workspace, collection, 'choices', search],
    queryFn: async () => {
      const { items } = await listDocuments(
        workspace,
        collection,
        { search, where: {} },
        undefined,
        shownMax + 1,
      )
      const entities = items.map(document => ({
        id: String(document[idField ?? 'id']),
        attributes: document,
      }))
      const differences = tellApart(entities)
      const documents = entities.map((entity): ChosenDocument => {
        return { id: entity.id, heading: readHeading(entity).text, difference: differences.get(entity.id) }
      })
      return { documents: documents.slice(0, shownMax), hasMore: documents.length > shownMax }
    },
    enabled: search !== '' && idField !== undefined,
    retry: false,
  })
  const isId = data?.documents.some(({ id }) => id === typed)
  return search === typed && !isId && data && data.documents.length > 0 ? data : undefined
}

interface FoundChoicesProps {
  found: NonNullable<ReturnType<typeof useChoices>>
  onChoose: (id: string) => void
}

export const FoundChoices = ({ found: { documents, hasMore }, onChoose }: FoundChoicesProps) => (
  <Stack gap="xs" role="group" aria-label={t('Results')}>
    {documents.map(({ id, heading, difference }) => {
      const isIdShown = heading === id || difference?.split(' · ').includes(id)
      const parts = [difference, isIdShown ? undefined : id].filter(part => part !== undefined)
      return (
        <Group key={id} justify="space-between" gap="xs" wrap="nowrap">
          <Text size="sm" flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
            {heading}{' '}
            <Text span size="xs" c="dimmed">
              {parts.join(' · ')}
            </Text>
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('Choose {title}', { title: [heading, difference ?? id].join(', ') })}
            onClick={() => onChoose(id)}
          >
            {t('Choose')}
          </Button>
        </Group>
      )
    })}
    {hasMore && <CutNote count={documents.length} />}
  </Stack>
)
