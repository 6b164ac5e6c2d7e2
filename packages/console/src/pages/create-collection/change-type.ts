import { type ProposedField, type ProposedType, rangeTypes, type TypeFit } from '@querent/contract/proposal'

/** Returns the field without the options of its type. */
export const withoutReading = ({
  formats: _,
  decimal: __,
  pairs: ___,
  ...field
}: ProposedField): ProposedField => field

/** Returns the options by which a type reads the most values. */
export const readingOptions = ({
  formats,
  decimal,
  pairs,
}: TypeFit): Pick<ProposedField, 'formats' | 'decimal' | 'pairs'> => ({
  ...(formats ? { formats } : {}),
  ...(decimal ? { decimal } : {}),
  ...(pairs ? { pairs } : {}),
})

/** The field with another type that reads as many values as it can, and what such a field is usually for. It is used from then on. */
export const changeType = (field: ProposedField, type: ProposedType): ProposedField => ({
  ...withoutReading(field),
  ...findReading(field, type),
  type,
  use: true,
  weight: 1,
  search: false,
  facet: type === 'keyword' || type === 'boolean',
  range: rangeTypes.includes(type),
  sort: rangeTypes.includes(type),
  breaksTies: false,
})

const findReading = ({ fits }: ProposedField, type: ProposedType) => {
  const fit = fits.find(each => each.type === type)
  return fit ? readingOptions(fit) : {}
}

/** The field with texts of one value (`undefined`), or of several with this sign between them, which people choose from. */
export const changeListSeparator = (
  { listSeparator: _, ...field }: ProposedField,
  listSeparator: string | undefined,
): ProposedField =>
  listSeparator === undefined
    ? { ...field, ...(field.type === 'keyword' ? { type: 'text', facet: false, search: false } : {}) }
    : {
        ...field,
        ...(field.type === 'text' ? { type: 'keyword', weight: 1, search: true, sort: false } : {}),
        facet: true,
        listSeparator,
      }
