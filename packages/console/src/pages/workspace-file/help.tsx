import { Modal, Stack, Text, Title } from '@mantine/core'
import type { EndpointKind } from '@querent/contract/endpoint-traits'
import type { FieldType } from '@querent/contract/workspace-file'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'

/** Keys of each kind (`*` is required), and its purpose. */
const kindReference: Readonly<Record<EndpointKind, readonly [keys: string, does: string]>> = {
  match: [
    'collection*, fields, parameter, prefix, typos, matching, exact, contains, boosts',
    t('full text, best first'),
  ],
  all: ['collection*', t('every document')],
  lookup: ['collection*, parameter (id)', t('one document')],
  similar: ['collection*, fields, parameter (id), boosts', t('documents like one')],
  filter: ['field*, value, present or parameter (value)', t('keeps what has a value')],
  range: ['field*, from (from), to (to)', t('keeps what lies between')],
  facet: [
    'field*, parameter (value), ranges, interval, timeZone, separator, missing, statistics, counts, columns',
    t('counts values; gives the filter NAME:FILTER too'),
  ],
  facets: ['collection, of', t('lists the facets that the result has')],
  collapse: ['field*, best (1)', t('keeps one result per value')],
  sort: ['field*, order (ascending, or descending)', t('orders')],
  mix: ['of*, scores (false), boosts', t('several rankings in one')],
  any: ['of*, not (false)', t('keeps what one of several filters keeps')],
  together: ['field*, of*', t('keeps what has one element that passes all filters')],
  area: ['field*, box (box), polygon (polygon)', t('keeps what lies in a box or polygon')],
  boost: ['field*, value, by, halfLife, halfDistance, from', t('multiplies scores')],
  nearest: ['collection*, field*, parameter (vector), limit, minimum, boosts', t('the nearest vectors')],
}

/** Example value of each type, and the kinds that use it. */
const typeReference: Readonly<Record<FieldType, readonly [value: string, usedBy: string]>> = {
  text: ['"Paintings of the masters"', t('match, similar, sort')],
  keyword: ['"museum", compared as a whole', t('filter, facet, sort, row filters')],
  number: ['22.5', t('filter, range, facet, sort, row filters')],
  date: ['"1885-07-13", "2026-01-31T12:00:00Z"', t('filter, range, facet, sort, row filters')],
  boolean: ['true', t('filter, facet, sort, row filters')],
  geo: ['{"lat":52.36,"lon":4.885}, WGS84', t('filter by distance, area, sort by distance')],
  vector: ['a list of dimensions numbers', t('nearest, similar')],
  object: ['an object, or a list of objects', t('together; the fields inside: as their types')],
}

/** Reference of field types and endpoint kinds. */
export const Help = ({ isOpen, onClose }: DialogState) => (
  <Modal
    opened={isOpen}
    onClose={onClose}
    title={t('Types and kinds')}
    size="xl"
    closeButtonProps={{ 'aria-label': t('Close') }}
  >
    <Stack>
      <Words
        title={t('Types of fields')}
        headings={[t('type'), t('example value'), t('used by')]}
        words={typeReference}
      />
      <Words
        title={t('Kinds of endpoints')}
        headings={[t('kind'), t('keys (* is required)'), t('what it does')]}
        words={kindReference}
      />
      <Text size="sm">{t('For more, see docs/describe-your-search.md in the Querent repository.')}</Text>
    </Stack>
  </Modal>
)

interface WordsProps {
  title: string
  headings: readonly string[]
  words: Readonly<Record<string, readonly [string, string]>>
}

const Words = ({ title, headings, words }: WordsProps) => (
  <Stack gap="xs">
    <Title order={3} size="h5">
      {title}
    </Title>
    <table className="table" aria-label={title}>
      <thead>
        <tr>
          {headings.map(heading => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Object.entries(words).map(([word, [first, second]]) => (
          <tr key={word}>
            <th scope="row">{word}</th>
            <td style={{ overflowWrap: 'anywhere' }}>{first}</td>
            <td>{second}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Stack>
)
