/** Shows what somebody did to several documents at once as one entry: the server records each document. */
import type { AuditEntry } from '@querent/contract/manage'

/** The log of the server has the workspaces of its entries. */
type LogEntry = AuditEntry & { workspace?: string | null }

const groupedActions: readonly string[] = ['deleteDocuments', 'saveDocument']
/** A longer pause begins another entry. */
const pauseMs = 60_000

/** Ids of documents that an entry names; none if it names a filter. */
export const readIds = ({ detail: { ids } }: Pick<AuditEntry, 'detail'>): string[] =>
  Array.isArray(ids) ? ids.map(String) : []

/** Merges neighbors, newest first. A group has the time and the id of its newest entry, and its documents in the order of the deed. */
export const groupEntries = <Entry extends LogEntry>(entries: readonly Entry[]): Entry[] => {
  const groups: Entry[] = []
  /** Time of the earliest entry of the last group. */
  let earliest = 0
  for (const entry of entries) {
    const group = groups.at(-1)
    if (group && belongTogether(group, entry) && earliest - Date.parse(entry.at) <= pauseMs)
      groups[groups.length - 1] = merge(group, entry)
    else groups.push(entry)
    earliest = Date.parse(entry.at)
  }
  return groups
}

const belongTogether = (one: LogEntry, other: LogEntry): boolean =>
  groupedActions.includes(one.action) &&
  readIds(one).length > 0 &&
  readIds(other).length > 0 &&
  (['workspace', 'action', 'actor', 'target', 'address'] as const).every(key => one[key] === other[key])

const merge = <Entry extends LogEntry>(group: Entry, earlier: Entry): Entry => {
  const ids = [...new Set([...readIds(earlier), ...readIds(group)])]
  const { deleted } = group.detail
  return {
    ...group,
    detail: {
      ...group.detail,
      ids,
      ...(deleted === undefined ? {} : { deleted: Number(deleted) + Number(earlier.detail.deleted) }),
    },
  }
}
