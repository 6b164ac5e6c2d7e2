/** The audit log as a file. */
import { allItems } from '@querent/client'
import { management } from '#api/manage.ts'

export interface AuditSearch {
  action?: string
  actor?: string
  /** RFC 3339. */
  from?: string
}

export const readAuditSearch = ({ action, actor, from }: Record<string, unknown>): AuditSearch => ({
  ...(typeof action === 'string' && action !== '' ? { action } : {}),
  ...(typeof actor === 'string' && actor !== '' ? { actor } : {}),
  ...(typeof from === 'string' && !Number.isNaN(Date.parse(from)) ? { from } : {}),
})

/** RFC 4180. A cell that a spreadsheet would take for a formula stays text. */
const cell = (value: string): string => {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Gathers all pages that the search finds, at most 100,000 entries, and hands them to the browser to save. */
export const saveAsCsv = async (workspace: string, search: AuditSearch): Promise<void> => {
  const items = await allItems(page =>
    management.call('listAudit', { params: { workspace }, query: { ...search, ...page } }),
  )
  const rows = items.map(({ at, actor, action, target, detail, address, requestId }) => [
    at,
    actor,
    action,
    target,
    JSON.stringify(detail),
    address,
    requestId,
  ])
  const header = ['at', 'actor', 'action', 'target', 'detail', 'address', 'requestId']
  const text = [header, ...rows].map(row => `${row.map(cell).join(',')}\r\n`).join('')
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `audit-${workspace}.csv`
  link.click()
  URL.revokeObjectURL(url)
}
