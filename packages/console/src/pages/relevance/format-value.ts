import { language } from '#i18n/translate.ts'

const format = new Intl.NumberFormat(language, { minimumFractionDigits: 3, maximumFractionDigits: 3 })
const signed = new Intl.NumberFormat(language, {
  minimumFractionDigits: 3,
  maximumFractionDigits: 3,
  signDisplay: 'exceptZero',
})

/** The value of a test, from 0 to 1. */
export const formatValue = (value: number | undefined): string =>
  value === undefined ? '–' : format.format(value)

/** The difference of two values: `+0.120`. */
export const formatChange = (before: number, after: number): string => signed.format(after - before)
