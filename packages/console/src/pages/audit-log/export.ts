/** The audit log as a file. */
import { allItems } from '@querent/client/manage'
import { escapeFormula } from '@querent/contract/csv-cells'
import { stringify } from 'csv-stringify/browser/esm/sync'
import { management } from '#api/manage.ts'
import { saveFile } from '#ui/save-file.ts'
import type { AuditSearch } from './search.ts'

/** Gathers all pages that the search finds, at most 100,000 entries, and hands them to the browser to save. */
export const saveAsCsv = async (workspace: string, search: AuditSearch): Promise<void> => {
  const items = await allItems(page =>
    management.call('listAudit', { params: { workspace }, query: { ...search, ...page } }),
  )
  // Prevents formulas in spreadsheets.
  const text = stringify(
    items.map(item => ({ ...item, detail: JSON.stringify(item.detail) })),
    {
      header: true,
      columns: ['at', 'actor', 'action', 'target', 'targetName', 'detail', 'address', 'requestId'],
      record_delimiter: '\r\n',
      quoted_match: /[\r\n]/,
      cast: { string: escapeFormula },
    },
  )
  saveFile(`audit-${workspace}.csv`, 'text/csv', text)
}
