/** The audit log filter in the address. */

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
