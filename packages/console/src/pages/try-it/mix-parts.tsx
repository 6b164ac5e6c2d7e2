/** Shows the ranks of a document in the parts of a mix that found it. */
import { Group, Text } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription, ResultItem } from '@querent/contract/query'
import { t } from '#i18n/translate.ts'
import { describeEndpoint } from './search-draft.ts'

export const hasMix = (stack: readonly StackedEndpoint[], description: ApiDescription): boolean =>
  stack.some(({ endpoint }) => describeEndpoint(description, endpoint)?.kind === 'mix')

interface MixPartsProps {
  parts: NonNullable<ResultItem['parts']>
  endpoints: ApiDescription['endpoints']
}

/** The rank of a document in each part that found it: by words, by meaning, or both. */
export const MixParts = ({ parts, endpoints }: MixPartsProps) => (
  <Group gap="xs" style={{ columnGap: '1rem' }}>
    {Object.entries(parts).map(([name, rank]) => {
      const endpoint = endpoints.find(one => one.name === name)
      const { kind = '', title = name } = endpoint ?? {}
      return (
        <Text key={name} size="xs" c="dimmed" title={title}>
          {describePart(kind, title, rank)}
        </Text>
      )
    })}
  </Group>
)

/** A part of an unknown kind is called by its title. */
const describePart = (kind: string, title: string, rank: number | null): string => {
  if (rank === null) return t('{part}: after the first 1,000', { part: describeKind(kind, title) })
  return t('{part}: rank {rank}', { part: describeKind(kind, title), rank })
}

const describeKind = (kind: string, title: string): string =>
  kind === 'match' ? t('By words') : kind === 'nearest' ? t('By meaning') : title
