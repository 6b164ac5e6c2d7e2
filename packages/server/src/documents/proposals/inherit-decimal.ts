/** Gives columns whose numbers don't tell their decimal sign the one of the other columns of a file. */
import { currency, currencyName } from '@querent/contract/currencies'
import type { Language } from '@querent/contract/languages'
import type { ProposedField, TypeFit } from '@querent/contract/proposal'
import { isEmptyWord, isNumberWith, stripUnit } from '@querent/contract/read-value'
import type { Column } from './describe-column.ts'

const endsInMoney = new RegExp(String.raw`\d\s\d{3}\s*(?:${currency}|${currencyName})\s*$`, 'u')

type Decimal = ',' | '.'

interface Writing {
  /** The signs with which people may have written all numbers of the column. */
  signs: Decimal[]
  /** Whether all numbers have digits and blanks alone. A later one, such as `19,5`, is written with the sign of the file. */
  isWhole: boolean
  isNumber: boolean
  /** Whether a number has a sign of money or the like, or a blank between thousands, so that its field has a decimal sign anyway. */
  hasUnits: boolean
  /** Whether a number has a blank between thousands and the money after it, as people write who use a decimal comma. */
  isSum: boolean
}

/**
 * A file has one decimal sign: beside `9,90`, also `1.200` has a decimal comma, and is 1200. Coordinates are no such columns, as people write
 * them with points everywhere. If no column tells the sign, that of the language
 * counts for sums of money and for blanks between thousands. Numbers that either sign reads have the other one as `swappedDecimal`, also if the file
 * has none or both.
 */
export const inheritDecimal = (
  fields: readonly ProposedField[],
  columns: readonly Column[],
  language: Language,
): ProposedField[] => {
  const writings = new Map(
    columns.filter(({ isWritten }) => isWritten).map(column => [column.name, readWriting(column)]),
  )
  const sign = findSign(fields, writings)
  const isOpen = fields.every(({ type, name }) => type !== 'number' || (writings.get(name)?.isWhole ?? true))
  return fields.map(field => {
    const writing = writings.get(field.name)
    if (writing?.signs.length !== 2) return field
    const isByLanguage =
      isOpen && (commaLanguages.has(language) ? writing.hasUnits : language === 'general' && writing.isSum)
    const comma = sign === ',' || isByLanguage ? withDecimal(field, ',', writing) : field
    return writing.isWhole ? comma : withSwapped(comma, writing)
  })
}

/** A few values that are no numbers, such as `on request`, say nothing about those that are. */
const readWriting = ({ distinct }: Column): Writing => {
  const texts = [...distinct.keys()].filter(text => !isEmptyWord('number', text))
  const isEither = (text: string) => isNumberWith(',', text) || isNumberWith('.', text)
  const numbers = texts.filter(isEither)
  return {
    signs:
      numbers.length === 0
        ? []
        : ([',', '.'] as const).filter(sign => numbers.every(text => isNumberWith(sign, text))),
    isWhole: numbers.every(text => wholeNumber.test(stripUnit(text))),
    isNumber: numbers.length === texts.length,
    hasUnits: numbers.some(text => !/^[+-]?\d+$/.test(text.trim())),
    isSum: numbers.some(text => endsInMoney.test(text)),
  }
}

/** People who write these languages put a comma before decimals, and blanks or points between thousands. */
const commaLanguages: ReadonlySet<Language> = new Set<Language>(
  'armenian basque catalan danish dutch estonian finnish french german greek hungarian indonesian italian lithuanian norwegian portuguese romanian russian spanish swedish turkish'.split(
    ' ',
  ) as Language[],
)

const wholeNumber = /^[+-]?\d[\d\s\u2019']*$/

/** Returns the sign of the columns that tell one. If none does, a column that most likely has a comma counts. */
const findSign = (
  fields: readonly ProposedField[],
  writings: ReadonlyMap<string, Writing>,
): Decimal | undefined => {
  const numbers = fields.flatMap(field => {
    const writing = writings.get(field.name)
    const near = field.fits.find(({ type, rejected }) => type === 'number' && rejected !== undefined)
    const decimal = field.type === 'number' ? (field.decimal ?? '.') : near && (near.decimal ?? '.')
    return writing && decimal && !writing.isWhole ? [{ decimal, isKnown: writing.signs.length === 1 }] : []
  })
  const signs = new Set(numbers.filter(({ isKnown }) => isKnown).map(({ decimal }) => decimal))
  if (signs.size === 0) return numbers.find(({ decimal }) => decimal === ',')?.decimal
  const [sign] = signs.size === 1 ? signs : []
  return sign
}

const withDecimal = (field: ProposedField, decimal: Decimal, writing: Writing): ProposedField => ({
  ...withNumberFit(field, writing, { decimal }),
  ...(field.type === 'number' ? { decimal } : {}),
})

const withSwapped = (field: ProposedField, writing: Writing): ProposedField => {
  const fit = field.fits.find(({ type }) => type === 'number')
  return withNumberFit(field, writing, { swappedDecimal: fit?.decimal === ',' ? '.' : ',' })
}

/** Changes how values fit a number, which says nothing yet if all do as they are. */
const withNumberFit = (
  field: ProposedField,
  { isNumber }: Writing,
  options: Partial<TypeFit>,
): ProposedField => {
  const { fits, values } = field
  if (fits.some(({ type }) => type === 'number'))
    return { ...field, fits: fits.map(fit => (fit.type === 'number' ? { ...fit, ...options } : fit)) }
  return isNumber
    ? { ...field, fits: [...fits, { type: 'number', plain: values, fitting: values, ...options }] }
    : field
}
