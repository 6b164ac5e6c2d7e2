/** Results as CSV (RFC 4180). */
import { stringify } from 'csv-stringify/sync'
import type { Page } from './page.ts'
import { tableOf } from './table.ts'

/** `lat,lon` in decimals. */
const isPlace = (text: string): boolean => /^-?\d+(\.\d+)?,-?\d+(\.\d+)?$/.test(text)

/**
 * A text that a spreadsheet would take for a formula gets an apostrophe before it
 * (https://owasp.org/www-community/attacks/CSV_Injection); numbers and places stay as they are. No byte order mark: most readers would count it to
 * the first name.
 */
export const writeCsv = async (page: Page): Promise<string> => {
  const { header, rows } = tableOf(page)
  return stringify([header, ...rows], {
    record_delimiter: '\r\n',
    escape_formulas: true,
    cast: {
      boolean: value => String(value),
      // A place in the south is no formula.
      string: value => (isPlace(value) ? { value, escape_formulas: false } : value),
    },
  })
}
