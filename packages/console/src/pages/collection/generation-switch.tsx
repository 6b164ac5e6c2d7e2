import { Stack, Text } from '@mantine/core'
import type { Generation } from '@querent/contract/manage'
import { t, tCount } from '#i18n/translate.ts'

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
  const nextName = next.id === undefined ? t('a new generation') : t('generation {id}', { id: next.id })
  /** Generations that configurations choose by id, or as the latest. */
  const pinned = (generations ?? []).filter(
    ({ state, configurations }) => state !== 'promoted' && configurations[0],
  )
  return (
    <Stack gap="xs">
      <Text size="sm">
        {t('Endpoints that search {collection} use {generation} {moment}.', {
          collection,
          generation: nextName,
          moment,
        })}
      </Text>
      <table className="table" aria-label={t('Before and after')}>
        <tbody>
          {generations && (
            <tr>
              <th scope="row">{t('Now')}</th>
              <td>{formatDocuments(now?.documents)}</td>
              <td>{now ? t('generation {id}', { id: now.id }) : t('no generation')}</td>
            </tr>
          )}
          <tr>
            <th scope="row">{t('After')}</th>
            <td>{next.documents}</td>
            <td>{nextName}</td>
          </tr>
        </tbody>
      </table>
      {pinned.map(({ id, configurations }) => (
        <Text key={id} size="sm">
          {t('Generation {id} stays live for queries with {configurations}.', {
            id,
            configurations: configurations.map(name => `config=${name}`).join(', '),
          })}
        </Text>
      ))}
    </Stack>
  )
}

/** Returns text such as `203 documents`. */
export const formatDocuments = (documents: number | null | undefined): string =>
  documents === null || documents === undefined
    ? t('documents not counted')
    : tCount(documents, '{count} document', '{count} documents')
