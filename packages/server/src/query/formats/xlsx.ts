/** Results as a workbook of spreadsheets (ECMA-376). */
import { type CellValue, writeXlsx as writeWorkbook } from 'hucre/xlsx'
import { legalXml } from './legal-xml.ts'
import type { Page } from './page.ts'
import { type Cell, tableOf } from './table.ts'

/** Excel refuses a workbook with longer texts (https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3). */
const cellCharsMax = 32_767

/** A sheet `results`, and `statistics` where they are asked for. Text is text: no cell is ever a formula. */
export const writeXlsx = async (page: Page): Promise<Buffer> => {
  const { header, rows } = tableOf(page)
  const { statistics } = page
  const numbers = statistics?.stats.map(({ cutoff, numResults }) => [Number(cutoff), numResults])
  const tables = [
    { name: 'results', rows: [header, ...rows] },
    ...(numbers ? [{ name: 'statistics', rows: [['cutoff', 'numResults'], ...numbers] }] : []),
  ]
  const sheets = tables.map(table => ({
    name: table.name,
    rows: table.rows.map(row => row.map(cellOf)),
    freezePane: { rows: 1 },
  }))
  return Buffer.from(await writeWorkbook({ sheets }))
}

/** A line in a cell ends with a line feed. */
const cellOf = (cell: Cell): CellValue =>
  typeof cell === 'string' ? legalXml(cell).replaceAll(/\r\n?/g, '\n').slice(0, cellCharsMax) : (cell ?? null)
