import { Button, Text } from '@mantine/core'
import { type CheckedField, countMisfits } from '@querent/contract/count-misfits'
import { useQuery } from '@tanstack/react-query'
import { listDocuments } from '#api/documents.ts'
import { t, tCount } from '#i18n/translate.ts'
import { writeDateExample } from '#ui/date-example.ts'
import { describeReading, findReading, numberForms, type Reading } from './find-reading.ts'

/** The most documents that a reply has. */
const documentsMax = 1000

interface TypeMisfitsProps {
  workspace: string
  collection: string
  name: string
  /** With its new type. */
  field: CheckedField
  /** The decimal sign of the other numbers of the collection. */
  decimal: string | undefined
  onRead: (reading: Reading) => void
}

/** Says how many values of the documents another type would not take, and offers a way to read them. */
export const TypeMisfits = ({ workspace, collection, name, field, decimal, onRead }: TypeMisfitsProps) => {
  const { data } = useQuery({
    queryKey: ['documents', workspace, collection, 'first', documentsMax],
    queryFn: () => listDocuments(workspace, collection, { search: '', where: {} }, undefined, documentsMax),
    retry: false,
  })
  // Somebody who may not read documents hears no numbers.
  if (!data || data.items.length === 0) return null
  const { values, misfits, examples } = countMisfits(data.items, name, field)
  const scope =
    data.total > data.items.length
      ? ` ${tCount(data.items.length, 'Counted in the first document.', 'Counted in the first {count} documents.')}`
      : ''
  // A new field may be for documents to come.
  if (values === 0) return null
  if (misfits === 0)
    return (
      <Text size="sm" c="dimmed" role="status">
        {tCount(values, 'The only value fits.', 'All {count} values fit.')}
        {scope}
      </Text>
    )
  const reading = findReading(data.items, name, field, decimal)
  return (
    <>
      <Text size="sm" c="var(--mantine-color-error)" role="status">
        {describeMisfits(field, { misfits, values, examples: examples.join(' · ') })}{' '}
        {t('Their documents stay as they are, but are not found by these values.')}
        {scope}
      </Text>
      {reading && (
        <Button size="compact-sm" variant="light" onClick={() => onRead(reading)}>
          {t('Read as {form}', { form: describeReading(reading) })}
        </Button>
      )}
    </>
  )
}

const describeMisfits = (
  field: CheckedField,
  counts: { misfits: number; values: number; examples: string },
): string => {
  switch (field.type) {
    case 'number':
      return t('{misfits} of {values} values are no numbers like {form}: {examples}.', {
        ...counts,
        form: field.decimal === undefined ? '1000.5' : (numberForms[field.decimal] ?? '1000.5'),
      })
    case 'date':
      return t('{misfits} of {values} values are no dates like {form}: {examples}.', {
        ...counts,
        form: writeDateExample(field.formats),
      })
    case 'boolean':
      return t('{misfits} of {values} values are neither true nor false: {examples}.', counts)
    case 'geo':
      return t('{misfits} of {values} values are no places like 52.37,4.89: {examples}.', counts)
    default:
      return t('{misfits} of {values} values do not fit: {examples}.', counts)
  }
}
