import { Stack, Text } from '@mantine/core'
import type { Generation } from '@querent/contract/manage'
import { formatCount } from '#ui/format-count.ts'

interface GenerationSwitchProps {
  collection: string
  /** Undefined: the person may not see them. */
  generations: readonly Generation[] | undefined
  next: {
    /** Undefined: a new generation. */
    id?: string
    /** Text such as `about 1,200`. */
    documents: string
  }
  /** When it happens. */
  moment: string
}

export const findPromoted = (generations: readonly Generation[]): Generation | undefined =>
  generations.find(({ state }) => state === 'promoted')

/** Compares the live generation with the one that replaces it, before the switch. */
export const GenerationSwitch = ({ collection, generations, next, moment }: GenerationSwitchProps) => {
  const now = findPromoted(generations ?? [])
  const nextName = next.id === undefined ? 'a new generation' : `generation ${next.id}`
  /** Generations that configurations choose by id, or as the latest. */
  const pinned = (generations ?? []).filter(
    ({ state, configurations }) => state !== 'promoted' && configurations[0],
  )
  return (
    <Stack gap="xs">
      <Text size="sm">
        Endpoints that search {collection} use {nextName} {moment}.
      </Text>
      <table className="table" aria-label="Before and after">
        <tbody>
          {generations && (
            <tr>
              <th scope="row">Now</th>
              <td>{formatDocuments(now?.documents)}</td>
              <td>{now ? `generation ${now.id}` : 'no generation'}</td>
            </tr>
          )}
          <tr>
            <th scope="row">After</th>
            <td>{next.documents}</td>
            <td>{nextName}</td>
          </tr>
        </tbody>
      </table>
      {pinned.map(({ id, configurations }) => (
        <Text key={id} size="sm">
          Generation {id} stays live for queries with{' '}
          {configurations.map(name => `config=${name}`).join(', ')}.
        </Text>
      ))}
    </Stack>
  )
}

/** Returns text such as `203 documents`. */
export const formatDocuments = (documents: number | null | undefined): string =>
  documents === null || documents === undefined ? 'documents not counted' : formatCount(documents, 'document')
