/** Previous values for the audit log. */
import { isDeepStrictEqual } from 'node:util'

/**
 * Returns the previous values of all changed fields, as `before` for the audit entry. A field that was not
 * set is null, because JSON has no undefined.
 */
export const makeAuditDiff = (
  previous: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): { before: Record<string, unknown> } => {
  const changed = Object.entries(changes).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value ?? null, previous[field] ?? null),
  )
  return { before: Object.fromEntries(changed.map(([field]) => [field, previous[field] ?? null])) }
}
