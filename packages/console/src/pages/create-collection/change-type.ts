import { type ProposedField, type ProposedType, rangeTypes } from '@querent/contract/proposal'

/** Returns the field without the options of its type. */
export const withoutReading = ({ formats: _, decimal: __, ...field }: ProposedField): ProposedField => field

/** The field with another type, and what such a field is usually for. */
export const changeType = (field: ProposedField, type: ProposedType): ProposedField => ({
  ...withoutReading(field),
  type,
  use: field.use,
  weight: 1,
  search: false,
  facet: type === 'keyword' || type === 'boolean',
  range: rangeTypes.includes(type),
  sort: rangeTypes.includes(type),
  breaksTies: false,
})

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
