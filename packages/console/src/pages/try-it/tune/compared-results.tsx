import { Badge, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ResultItem } from '@querent/contract/query'
import { t } from '#i18n/translate.ts'
import { readHeading } from '#ui/heading.ts'

interface ComparedResultsProps {
  /** Default: saved settings, and these. */
  titles?: readonly [before: string, after: string]
  before: readonly ResultItem[]
  /** Undefined while it is on its way. */
  after: readonly ResultItem[] | undefined
}

/** Two rankings side by side, with what has moved. */
export const ComparedResults = ({
  titles: [titleBefore, titleAfter] = [t('Saved settings'), t('These settings')],
  before,
  after,
}: ComparedResultsProps) => (
  <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
    <Ranking title={titleBefore} items={before} others={after ?? before} missing={t('gone')} />
    <Ranking title={titleAfter} items={after ?? before} others={before} missing={t('new')} isNew />
  </SimpleGrid>
)

/** Titles that several results have, so that their ids must tell them apart. */
const findSharedTitles = (items: readonly ResultItem[]): ReadonlySet<string> => {
  const uris = new Map<string, string>()
  const shared = new Set<string>()
  for (const entity of items.flatMap(({ tuple }) => tuple.slice(0, 1))) {
    const { text } = readHeading(entity)
    if (uris.has(text) && uris.get(text) !== entity.id) shared.add(text)
    uris.set(text, entity.id)
  }
  return shared
}

/** The end of a URI, which its collection's template puts the id at. */
const readUriEnd = (uri: string): string => {
  const end = uri.split(/[/#:]/).at(-1) || uri
  try {
    return decodeURI(end)
  } catch {
    return end
  }
}

interface RankingProps {
  title: string
  items: readonly ResultItem[]
  others: readonly ResultItem[]
  /** Says that the other ranking does not have a result. */
  missing: string
  /** Whether to show how far a result has moved. */
  isNew?: boolean
}

const Ranking = ({ title, items, others, missing, isNew = false }: RankingProps) => {
  const sharedTitles = findSharedTitles([...items, ...others])
  const rankByUri = new Map(others.map(({ rank, tuple: [entity] }) => [entity?.id, rank]))
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={2} size="h5">
        {title}
      </Title>
      <Stack gap={6} component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {items.map(({ rank, tuple: [entity] }) => {
          if (!entity) return null
          const otherRank = rankByUri.get(entity.id)
          const { text } = readHeading(entity)
          return (
            <Paper key={entity.id} withBorder px="sm" py={6} component="li">
              <Group justify="space-between" gap="xs" wrap="nowrap">
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {rank}. {text}
                  {sharedTitles.has(text) && ` · ${readUriEnd(entity.id)}`}
                </Text>
                {otherRank === undefined ? (
                  <Badge variant="light" color={isNew ? 'green' : 'gray'} style={{ flexShrink: 0 }}>
                    {missing}
                  </Badge>
                ) : (
                  isNew && <Move by={otherRank - rank} />
                )}
              </Group>
            </Paper>
          )
        })}
      </Stack>
    </Stack>
  )
}

/** How many places a result has moved up, or down if negative. */
const Move = ({ by }: { by: number }) =>
  by === 0 ? null : (
    <Badge
      variant="light"
      color={by > 0 ? 'green' : 'orange'}
      aria-label={by > 0 ? t('up by {count}', { count: by }) : t('down by {count}', { count: -by })}
      role="img"
      style={{ flexShrink: 0 }}
    >
      {by > 0 ? '▲' : '▼'} {Math.abs(by)}
    </Badge>
  )
