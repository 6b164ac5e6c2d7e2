/** Figures of usage as people read them. */
import type { UsageSummary } from '@querent/contract/manage'
import { dateLocale, language } from '#i18n/translate.ts'

const count = new Intl.NumberFormat(language)
const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
const milliseconds = new Intl.NumberFormat(language, {
  style: 'unit',
  unit: 'millisecond',
  maximumSignificantDigits: 3,
})

/** Shown where there is nothing to calculate from. */
const noValue = '–'

export const formatNumber = (value: number): string => count.format(value)
export const formatShare = (value: number | null): string =>
  value === null ? noValue : percent.format(value)
export const formatMs = (value: number | null): string =>
  value === null ? noValue : milliseconds.format(value)

/** Returns the share of searches without results; null: there were none. */
export const emptyShare = ({
  searches,
  emptySearches,
}: Pick<UsageSummary['total'], 'searches' | 'emptySearches'>) =>
  searches === 0 ? null : emptySearches / searches

const formatHour = new Intl.DateTimeFormat(dateLocale, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const formatDay = new Intl.DateTimeFormat(dateLocale, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Formats the start of an hour in the reader's time zone, and a day in UTC, as it is counted. */
export const formatStart = (step: UsageSummary['step'], start: string): string =>
  (step === 'hour' ? formatHour : formatDay).format(new Date(start))
