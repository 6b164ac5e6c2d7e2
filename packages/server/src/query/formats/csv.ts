/** Results as CSV (RFC 4180). */
import { escapeFormula } from '@querent/contract/csv-cells'
import { stringify } from 'csv-stringify/sync'
import type { Page } from './page.ts'
import { makeTable } from './table.ts'

/** `lat,lon` in decimals. */
const isPlace = (text: string): boolean => /^-?\d+(\.\d+)?,-?\d+(\.\d+)?$/.test(text)

/**
 * Puts an apostrophe before text that a spreadsheet would take for a formula. Numbers and places stay as they are. Writes no byte order
 * mark, because most readers would add it to the first name.
 */
export const writeCsv = async (page: Page): Promise<string> => {
  const { header, rows } = makeTable(page)
  return stringify([header, ...rows], {
    record_delimiter: '\r\n',
    // By default only values with CRLF are quoted, and a lone CR or LF would start another record.
    quoted_match: /[\r\n]/,
    cast: {
      boolean: value => String(value),
      // A place in the south is no formula.
      string: value => (isPlace(value) ? value : escapeFormula(value)),
    },
  })
}
