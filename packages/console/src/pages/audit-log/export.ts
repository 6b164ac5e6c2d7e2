/** The audit log as a file. */
import { allItems } from '@querent/client/manage'
import { escapeFormula } from '@querent/contract/csv-cells'
import type { AuditEntry } from '@querent/contract/manage'
import { stringify } from 'csv-stringify/browser/esm/sync'
import { management } from '#api/manage.ts'
import { saveFile } from '#ui/save-file.ts'
import type { AuditSearch } from './search.ts'

/** Gathers all pages that the search finds, at most 100,000 entries, and hands them to the browser to save. `workspace`: undefined for the whole server. */
export const saveAsCsv = async (workspace: string | undefined, search: AuditSearch): Promise<void> => {
  const items: AuditEntry[] =
    workspace === undefined
      ? await allItems(page => management.call('listServerAudit', { query: { ...search, ...page } }))
      : await allItems(page =>
          management.call('listAudit', { params: { workspace }, query: { ...search, ...page } }),
        )
  // Prevents formulas in spreadsheets.
  const text = stringify(
    items.map(item => ({ ...item, detail: JSON.stringify(item.detail) })),
    {
      header: true,
      columns: [
        ...(workspace === undefined ? ['workspace'] : []),
        'at',
        'actor',
        'action',
        'target',
        'targetName',
        'detail',
        'address',
        'requestId',
      ],
      record_delimiter: '\r\n',
      quoted_match: /[\r\n]/,
      cast: { string: escapeFormula },
    },
  )
  saveFile(`audit-${workspace ?? 'server'}.csv`, 'text/csv', text)
}
