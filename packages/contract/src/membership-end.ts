/** The end of a membership, or of one of its groups (authorization-server.md, Limits of an account). */
import { isDate, isWholeDay, plainDate } from './field-value.ts'

const dayMs = 24 * 60 * 60 * 1000

/**
 * Returns the first moment, in milliseconds since 1970, at which it has ended; undefined for text that is neither a date nor a time of
 * RFC 3339. A date includes that day in UTC.
 */
export const readMembershipEnd = (until: string): number | undefined => {
  if (!isDate(until)) return undefined
  const time = Date.parse(plainDate(until))
  return isWholeDay(until) ? time + dayMs : time + 1
}
