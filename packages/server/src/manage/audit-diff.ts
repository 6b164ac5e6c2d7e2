/** What stood before a change, for the audit log. */
import { isDeepStrictEqual } from 'node:util'

/**
 * Of the fields that `set` gives, those that were something else in `found`, as `before`: to stand in the audit entry beside what was
 * set. JSON knows no undefined: what was not there is null.
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
