/** Says in words which values of an entry of a workspace file change. */
import type { Change } from '@querent/contract/manage'
import { t, tCount } from '#i18n/translate.ts'
import { formatField, isRecord, lowerFirst, readInnerLabel } from './value-words.ts'

/** A mapping that is added, removed or changed. */
export const describeEntry = ({ change, before, after }: Change, entry: string): string => {
  if (change === 'remove') return t('Removes {entry}', { entry })
  if (change === 'add') return addsEntry(t('Adds {entry}', { entry }), isRecord(after) ? after : {})
  if (!isRecord(before) || !isRecord(after)) return t('Changes {entry}', { entry })
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    key => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  )
  const [only = ''] = changed
  if (changed.length === 1 && isSet(only, before[only]) && isSet(only, after[only]))
    return t('Changes the {field} of {entry} from {before} to {after}', {
      field: readInnerLabel(only),
      entry,
      before: formatField(only, before[only]),
      after: formatField(only, after[only]),
    })
  const parts = changed.map(key => describePart(key, before[key], after[key]))
  return t('Changes {entry}: {parts}', { entry, parts: shorten(parts) })
}

/** `addition` with the values of the entry: `Adds the field name (text) to things, with weight 3`. */
export const addsEntry = (addition: string, values: Readonly<Record<string, unknown>>): string => {
  const parts = Object.entries(values).map(([key, value]) =>
    value === true ? readInnerLabel(key) : `${readInnerLabel(key)} ${formatField(key, value)}`,
  )
  return parts.length === 0 ? addition : t('{addition}, with {parts}', { addition, parts: shorten(parts) })
}

/** One value, such as a setting. */
export const describeValueChange = (
  { change, before, after }: Change,
  label: string,
  field: string,
): string => {
  const name = lowerFirst(label)
  if (typeof after === 'boolean')
    return after ? t('Switches on: {name}', { name }) : t('Switches off: {name}', { name })
  const [from, to] = [formatField(field, before), formatField(field, after)]
  if (change === 'remove') return t('Removes the {name}: {before}', { name, before: from })
  return change === 'add'
    ? t('Sets the {name} to {after}', { name, after: to })
    : t('Changes the {name} from {before} to {after}', { name, before: from, after: to })
}

/** One of several values: `weight from 2 to 3`. */
export const describePart = (
  key: string,
  before: unknown,
  after: unknown,
  label = readInnerLabel(key),
): string => {
  const values = { field: label, before: formatField(key, before), after: formatField(key, after) }
  // An empty value is not the same as none.
  const isEmptied = after !== undefined && after !== null && !isSet(key, before)
  if (!isSet(key, after) && !isEmptied) return t('{field} removed, it was {before}', values)
  return isSet(key, before)
    ? t('{field} from {before} to {after}', values)
    : t('{field} set to {after}', values)
}

/** A field may have words for the absence of a value, such as `all` for a row filter. */
const isSet = (field: string, value: unknown): boolean => formatField(field, value) !== t('none')

const partsShown = 6
const partCharactersMax = 160

const clip = (part: string): string =>
  part.length > partCharactersMax ? `${part.slice(0, partCharactersMax)}…` : part

const shorten = (parts: readonly string[]): string => {
  const moreCount = parts.length - partsShown
  const firstParts = parts.slice(0, partsShown).map(clip).join(', ')
  return moreCount > 0 ? `${firstParts}, ${tCount(moreCount, '{count} more', '{count} more')}` : firstParts
}
