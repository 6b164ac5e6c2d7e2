/** Results as CSV (RFC 4180). */
import { escapeFormula } from '@querent/contract/csv-cells'
import { stringify } from 'csv-stringify/sync'
import type { Page } from './page.ts'
import { tableOf } from './table.ts'

/** `lat,lon` in decimals. */
const isPlace = (text: string): boolean => /^-?\d+(\.\d+)?,-?\d+(\.\d+)?$/.test(text)

/**
 * Text that a spreadsheet would take for a formula gets an apostrophe before it; numbers and places stay as they are. No byte order mark:
 * most readers would count it to the first name.
 */
export const writeCsv = async (page: Page): Promise<string> => {
  const { header, rows } = tableOf(page)
  return stringify([header, ...rows], {
    record_delimiter: '\r\n',
    // By default only a CRLF inside a value is quoted: a lone CR or LF would begin another record.
    quoted_match: /[\r\n]/,
    cast: {
      boolean: value => String(value),
      // A place in the south is no formula.
      string: value => (isPlace(value) ? value : escapeFormula(value)),
    },
  })
}
