/** Results as a workbook of spreadsheets (ECMA-376). */
import { type CellValue, writeXlsx as writeWorkbook } from 'hucre/xlsx'
import { legalXml, type Page } from './page.ts'
import { type Cell, makeSheetCell, makeTable } from './table.ts'

/** Excel rejects a workbook with longer texts (https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3). */
const cellCharsMax = 32_767

/** Writes a sheet `results`, and a sheet `statistics` if requested. No cell is ever a formula. */
export const writeXlsx = async (page: Page): Promise<Buffer> => {
  const { header, rows } = makeTable(page, makeSheetCell)
  const { statistics } = page
  const numbers = statistics?.stats.map(({ cutoff, numResults }) => [Number(cutoff), numResults])
  const tables = [
    { name: 'results', rows: [header, ...rows] },
    ...(numbers ? [{ name: 'statistics', rows: [['cutoff', 'numResults'], ...numbers] }] : []),
  ]
  const sheets = tables.map(table => ({
    name: table.name,
    rows: table.rows.map(row => row.map(toCellValue)),
    freezePane: { rows: 1 },
  }))
  return Buffer.from(await writeWorkbook({ sheets }))
}

/** Lines in a cell end with a line feed. */
const toCellValue = (cell: Cell): CellValue =>
  typeof cell === 'string' ? legalXml(cell).replaceAll(/\r\n?/g, '\n').slice(0, cellCharsMax) : (cell ?? null)
