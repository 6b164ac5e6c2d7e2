/** The sign-in log as a file. */
import { allItems } from '@querent/client/manage'
import { escapeFormula } from '@querent/contract/csv-cells'
import type { ServerSignInEntry, SignInEntry } from '@querent/contract/manage'
import { stringify } from 'csv-stringify/browser/esm/sync'
import { saveFile } from '#ui/save-file.ts'

export type Entry = SignInEntry & Partial<Pick<ServerSignInEntry, 'workspace'>>
export type ReadPage = (page: {
  count: number
  after?: string
}) => Promise<{ items: Entry[]; next: string | null }>

/** Gathers all pages, at most 100,000 entries, and hands them to the browser to save. */
export const saveEntries = async (name: string, format: 'csv' | 'ndjson', read: ReadPage): Promise<void> => {
  const items = await allItems<Entry>(read)
  if (format === 'ndjson') {
    const lines = items.map(item => `${JSON.stringify(item)}\n`)
    return saveFile(`${name}.ndjson`, 'application/x-ndjson', lines.join(''))
  }
  // Prevents formulas in spreadsheets.
  const text = stringify(
    items.map(({ user, application, ...item }) => ({
      ...item,
      user: user?.name ?? '',
      application: application?.name ?? '',
    })),
    {
      header: true,
      columns: [
        'at',
        'kind',
        'failed',
        'result',
        'method',
        'user',
        'application',
        ...(items.some(({ workspace }) => workspace !== undefined) ? ['workspace'] : []),
        'address',
        'browser',
        'system',
        'requestId',
      ],
      record_delimiter: '\r\n',
      quoted_match: /[\r\n]/,
      cast: { string: escapeFormula, boolean: String },
    },
  )
  saveFile(`${name}.csv`, 'text/csv', text)
}
