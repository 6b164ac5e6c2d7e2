import { Button, Text } from '@mantine/core'
import {
  findNearType,
  findSwappedDecimal,
  findSwappedFormat,
  findSwappedPairs,
  lacksZone,
  type ProposedField,
  type TypeFit,
} from '@querent/contract/proposal'
import { t } from '#i18n/translate.ts'
import { changeType, readingOptions, withoutReading } from './change-type.ts'

interface TypeCheckProps {
  field: ProposedField
  onChange: (field: ProposedField) => void
}

/** Says at once how many values of the sample the chosen type rejects, and offers a way to read them. */
export const TypeCheck = ({ field, onChange }: TypeCheckProps) => {
  const fit = field.fits.find(({ type }) => type === field.type)
  if (!field.use || field.from !== undefined) return null
  const near = findNearType(field)
  if (near) return <NearType field={field} near={near} onChange={onChange} />
  const reading = describeReading(field, field.examples)
  if (fit === undefined || countFitting(field, fit) === field.values)
    return <FittingType field={field} reading={reading} onChange={onChange} />
  const offered =
    reading === undefined && fit.fitting > fit.plain ? describeReading(fit, field.examples) : undefined
  return (
    <>
      <Text size="xs" c="var(--mantine-color-error)" role="status">
        {describeMisfits(field, field.values - countFitting(field, fit))}
      </Text>
      {offered !== undefined && (
        <Button
          size="compact-xs"
          variant="light"
          onClick={() => onChange({ ...withoutReading(field), ...readingOptions(fit) })}
        >
          {fit.fitting === field.values
            ? t('Read as {form}', { form: offered })
            : t('Read as {form}: {count} fit', { form: offered, count: fit.fitting })}
        </Button>
      )}
    </>
  )
}

/** Says how values are read. If nothing tells the order of day and month, or the decimal sign, it offers the other one. */
const FittingType = ({ field, reading, onChange }: TypeCheckProps & { reading: string | undefined }) => {
  const swapped = findSwappedFormat(field)
  const swappedDecimal = findSwappedDecimal(field)
  const swappedPairs = findSwappedPairs(field)
  return (
    <>
      {reading !== undefined && <Text size="xs">{t('Read as {form}', { form: reading })}</Text>}
      {lacksZone(field) && (
        <Text size="xs" c="dimmed">
          {t('Times without a zone are UTC')}
        </Text>
      )}
      {swapped !== undefined && (
        <Button size="compact-xs" variant="light" onClick={() => onChange({ ...field, formats: [swapped] })}>
          {t('Read as {form} instead', { form: swapped })}
        </Button>
      )}
      {swappedDecimal !== undefined && (
        <Button
          size="compact-xs"
          variant="light"
          onClick={() => onChange({ ...field, decimal: swappedDecimal })}
        >
          {t('Read as {form} instead', { form: numberForms[swappedDecimal] })}
        </Button>
      )}
      {swappedPairs !== undefined && (
        <Button size="compact-xs" variant="light" onClick={() => onChange({ ...field, pairs: swappedPairs })}>
          {t('Read as {form} instead', { form: pairForms[swappedPairs] })}
        </Button>
      )}
    </>
  )
}

/** Says which few values keep a text from being a number or a date, and offers that type: an import leaves out their documents, and lists them. */
const NearType = ({ field, near, onChange }: TypeCheckProps & { near: TypeFit }) => {
  const counts = { fitting: near.fitting, values: field.values, others: (near.rejected ?? []).join(', ') }
  return (
    <>
      <Text size="xs" c="dimmed" role="status">
        {near.type === 'number'
          ? t('{fitting} of {values} values are numbers, but not: {others}', counts)
          : t('{fitting} of {values} values are dates, but not: {others}', counts)}
      </Text>
      <Button size="compact-xs" variant="light" onClick={() => onChange(changeType(field, near.type))}>
        {near.type === 'number' ? t('Make it a number') : t('Make it a date')}
      </Button>
    </>
  )
}

const countFitting = (field: ProposedField, fit: TypeFit): number =>
  (field.formats !== undefined && field.formats[0] === fit.swappedFormat) ||
  (field.pairs !== undefined && field.pairs === fit.swappedPairs) ||
  fit.swappedDecimal !== undefined ||
  (describeReading(field) !== undefined && describeReading(field) === describeReading(fit))
    ? fit.fitting
    : fit.plain

const pairForms = { 'lon-lat': t('longitude, latitude'), 'lat-lon': t('latitude, longitude') } as const
const numberForms = { ',': '1.000,5', '.': '1,000.5' } as const

/** `examples`: values of the field, which may have a percent sign. */
const describeReading = (
  { formats, decimal, pairs }: Pick<ProposedField, 'formats' | 'decimal' | 'pairs'>,
  examples: readonly string[] = [],
): string | undefined => {
  if (formats && formats.length > 0) return formats.join(', ')
  if (pairs) return pairForms[pairs]
  if (decimal === undefined) return undefined
  return examples.some(text => /%\s*$/.test(text)) ? `${numberForms[decimal]} %` : numberForms[decimal]
}

const describeMisfits = ({ type, values, decimal, formats }: ProposedField, misfits: number): string => {
  const counts = { misfits, values }
  switch (type) {
    case 'date':
      return t(
        '{misfits} of {values} values are no dates like {form}, and their documents will be rejected',
        { ...counts, form: formats?.join(', ') ?? '2024-01-31' },
      )
    case 'number':
      return t(
        '{misfits} of {values} values are no numbers like {form}, and their documents will be rejected',
        { ...counts, form: decimal === undefined ? '1000.5' : numberForms[decimal] },
      )
    case 'boolean':
      return t(
        '{misfits} of {values} values are neither true nor false, and their documents will be rejected',
        counts,
      )
    case 'geo':
      return t(
        '{misfits} of {values} values are no places like 52.37,4.89, and their documents will be rejected',
        counts,
      )
    default:
      return t('{misfits} of {values} values are no objects, and their documents will be rejected', counts)
  }
}
