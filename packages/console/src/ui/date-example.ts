/** An example of a date for people who write one. */
import { compileDateFormat } from '@querent/contract/date-format'

const day = '2026-01-31'

/** The 31st of January 2026, at half past six in the evening, by letters of a format and their repetitions. */
const parts: Readonly<Record<string, string>> = {
  y: '2026',
  yy: '26',
  yyyy: '2026',
  M: '1',
  MM: '01',
  MMM: 'Jan',
  MMMM: 'January',
  d: '31',
  dd: '31',
  H: '18',
  HH: '18',
  m: '30',
  mm: '30',
  s: '00',
  ss: '00',
}

/** Returns a date in the first of the formats that can be written by hand; in that of RFC 3339, which every field takes, without one. */
export const writeDateExample = (formats: readonly string[] = []): string =>
  formats.map(writeInFormat).find(text => text !== undefined) ?? day

const writeInFormat = (format: string): string | undefined => {
  const text = format.replace(/'((?:[^']|'')*)'|([A-Za-z])\2*/g, (token: string, quoted?: string) =>
    quoted === undefined ? (parts[token] ?? token) : quoted,
  )
  return compileDateFormat(format)?.(text)?.startsWith(day) ? text : undefined
}
