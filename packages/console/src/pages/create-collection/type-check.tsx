import { Button, Text } from '@mantine/core'
import type { ProposedField, ProposedType, TypeFit } from '@querent/contract/proposal'
import { t } from '#i18n/translate.ts'

interface TypeCheckProps {
  field: ProposedField
  onChange: (field: ProposedField) => void
}

/** Says at once how many values of the sample the chosen type rejects, and offers a way to read them. */
export const TypeCheck = ({ field, onChange }: TypeCheckProps) => {
  const fit = field.fits.find(({ type }) => type === field.type)
  if (!field.use || field.from !== undefined) return null
  const reading = describeReading(field)
  if (fit === undefined || countFitting(field, fit) === field.values)
    return reading && <Text size="xs">{t('Read as {form}', { form: reading })}</Text>
  const offered = reading === undefined && fit.fitting > fit.plain ? describeReading(fit) : undefined
  return (
    <>
      <Text size="xs" c="var(--mantine-color-error)" role="status">
        {describeForm(field.type, countFitting(field, fit), field.values)}
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

/** Returns the field without the options of its type. */
export const withoutReading = ({ formats: _, decimal: __, ...field }: ProposedField): ProposedField => field

const readingOptions = ({ formats, decimal }: TypeFit): Pick<ProposedField, 'formats' | 'decimal'> => ({
  ...(formats ? { formats } : {}),
  ...(decimal ? { decimal } : {}),
})

const countFitting = (field: ProposedField, fit: TypeFit): number =>
  describeReading(field) !== undefined && describeReading(field) === describeReading(fit)
    ? fit.fitting
    : fit.plain

const describeReading = ({
  formats,
  decimal,
}: Pick<ProposedField, 'formats' | 'decimal'>): string | undefined =>
  formats && formats.length > 0 ? formats.join(', ') : decimal && { ',': '1.000,5', '.': '1,000.5' }[decimal]

const describeForm = (type: ProposedType, fitting: number, values: number): string => {
  const counts = { fitting, values }
  switch (type) {
    case 'date':
      return t('{fitting} of {values} values are dates like 2024-01-31', counts)
    case 'number':
      return t('{fitting} of {values} values are numbers like 1000.5', counts)
    case 'boolean':
      return t('{fitting} of {values} values are true or false', counts)
    case 'geo':
      return t('{fitting} of {values} values are places like 52.37,4.89', counts)
    default:
      return t('{fitting} of {values} values are objects', counts)
  }
}
