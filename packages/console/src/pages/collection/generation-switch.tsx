import { Stack, Text } from '@mantine/core'
import type { Generation } from '@querent/contract/manage'
import { formatCount } from '#ui/format-count.ts'

interface GenerationSwitchProps {
  collection: string
  /** Undefined: one is not told of them. */
  generations: readonly Generation[] | undefined
  next: {
    /** Undefined: it is made now. */
    id?: string
    /** In words, such as `about 1,200`. */
    documents: string
  }
  /** When it happens. */
  moment: string
}

export const findPromoted = (generations: readonly Generation[]): Generation | undefined =>
  generations.find(({ state }) => state === 'promoted')

/** What answers now, and what then, before a generation takes the place of another. */
export const GenerationSwitch = ({ collection, generations, next, moment }: GenerationSwitchProps) => {
  const now = findPromoted(generations ?? [])
  const nextName = next.id === undefined ? 'a new generation' : `generation ${next.id}`
  /** They chose a generation themselves, or the latest. */
  const pinned = (generations ?? []).filter(
    ({ state, configurations }) => state !== 'promoted' && configurations[0],
  )
  return (
    <Stack gap="xs">
      <Text size="sm">
        Endpoints that search in {collection} answer from {nextName} {moment}.
      </Text>
      <table className="table" aria-label="Now and then">
        <tbody>
          {generations && (
            <tr>
              <th scope="row">Now</th>
              <td>{formatDocuments(now?.documents)}</td>
              <td>{now ? `generation ${now.id}` : 'no generation'}</td>
            </tr>
          )}
          <tr>
            <th scope="row">Then</th>
            <td>{next.documents}</td>
            <td>{nextName}</td>
          </tr>
        </tbody>
      </table>
      {pinned.map(({ id, configurations }) => (
        <Text key={id} size="sm">
          Generation {id} goes on answering queries with{' '}
          {configurations.map(name => `config=${name}`).join(', ')}.
        </Text>
      ))}
    </Stack>
  )
}

/** `203 documents`; what is not told is said to be so. */
export const formatDocuments = (documents: number | null | undefined): string =>
  documents === null || documents === undefined ? 'documents not counted' : formatCount(documents, 'document')
