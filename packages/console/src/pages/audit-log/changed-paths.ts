/** The paths of the workspace file that an applied file changed, as the audit log has them. */
import type { AuditEntry } from '@querent/contract/manage'

/** `add apis.shop.endpoints.search`, as the server writes it. */
export interface ChangedPath {
  change: string
  section: string
  /** Name of the collection, API or other entry. */
  name: string | undefined
  part: string | undefined
}

/** Returns the changed paths of an applied file; undefined: another action, or the entry has not all of them. */
export const readChangedPaths = ({
  action,
  detail: { paths, changes },
}: Pick<AuditEntry, 'action' | 'detail'>): ChangedPath[] | undefined => {
  if (action !== 'applyWorkspaceFile' || !Array.isArray(paths) || paths.length !== changes) return undefined
  return paths.map(text => {
    // Names may have blanks.
    const [, change = '', path = ''] = /^(\S*) ?(.*)$/s.exec(String(text)) ?? []
    const [section = '', name, part] = path.split('.')
    return { change, section, name, part }
  })
}
