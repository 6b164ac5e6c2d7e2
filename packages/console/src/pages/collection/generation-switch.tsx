import { Stack, Text } from '@mantine/core'
import type { Generation } from '@querent/contract/manage'
import { counted } from '#ui/count.ts'

interface ExchangeProps {
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
  when: string
}

export const promotedOf = (generations: readonly Generation[]): Generation | undefined =>
  generations.find(({ state }) => state === 'promoted')

/** What answers now, and what then, before a generation takes the place of another. */
export const Exchange = ({ collection, generations, next, when }: ExchangeProps) => {
  const now = promotedOf(generations ?? [])
  const nextName = next.id === undefined ? 'a new generation' : `generation ${next.id}`
  /** They chose a generation themselves, or the latest. */
  const others = (generations ?? []).filter(
    ({ state, configurations }) => state !== 'promoted' && configurations[0],
  )
  return (
    <Stack gap="xs">
      <Text size="sm">
        Endpoints that search in {collection} answer from {nextName} {when}.
      </Text>
      <table className="table" aria-label="Now and then">
        <tbody>
          {generations && (
            <tr>
              <th scope="row">Now</th>
              <td>{inDocuments(now?.documents)}</td>
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
      {others.map(({ id, configurations }) => (
        <Text key={id} size="sm">
          Generation {id} goes on answering queries with{' '}
          {configurations.map(name => `config=${name}`).join(', ')}.
        </Text>
      ))}
    </Stack>
  )
}

/** `203 documents`; what is not told is said to be so. */
export const inDocuments = (documents: number | null | undefined): string =>
  documents === null || documents === undefined ? 'documents not counted' : counted(documents, 'document')
