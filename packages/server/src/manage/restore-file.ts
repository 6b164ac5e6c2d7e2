/** Says what a state of the history restores (workspace-file.md, History). Pure. */
import type { Collection, WorkspaceFile } from '@querent/contract/workspace-file'

/** Parts that no restoration changes: who may do what, and accounts with secrets. */
const currentParts = ['groups', 'memberDefaults', 'members', 'applications', 'systemToSystem'] as const

/** Parts that only administrators restore. */
const administratorParts = ['identityProvider', 'branding', 'settings'] as const

/**
 * Returns the file that restores `state`: its own parts, with members, groups and accounts as they are now. Without `mayAdminister`, also
 * with the administrators' keys of now inside collections and APIs.
 */
export const restorableFile = (
  state: WorkspaceFile,
  current: WorkspaceFile,
  mayAdminister: boolean,
): WorkspaceFile => {
  const parts = mayAdminister ? currentParts : [...currentParts, ...administratorParts]
  const restored: Record<string, unknown> = { ...state }
  for (const part of parts) {
    delete restored[part]
    if (current[part] !== undefined) restored[part] = current[part]
  }
  // Each part comes from a file that the reader accepted.
  const file = restored as unknown as WorkspaceFile
  return mayAdminister
    ? file
    : {
        ...file,
        ...(file.collections ? { collections: withCurrentRights(file.collections, current) } : {}),
        ...(file.apis ? { apis: withCurrentAccess(file.apis, current) } : {}),
      }
}

const withCurrentAccess = (
  apis: NonNullable<WorkspaceFile['apis']>,
  current: WorkspaceFile,
): NonNullable<WorkspaceFile['apis']> =>
  Object.fromEntries(
    Object.entries(apis).map(([name, { access: _, ...api }]) => {
      const access = current.apis?.[name]?.access
      return [name, access === undefined ? api : { ...api, access }]
    }),
  )

/** Leaves out what the administrators' keys of the state protect, if there is no such thing now: without them it would be open. */
const withCurrentRights = (
  collections: NonNullable<WorkspaceFile['collections']>,
  current: WorkspaceFile,
): NonNullable<WorkspaceFile['collections']> =>
  Object.fromEntries(
    Object.entries(collections).flatMap(([name, { readers: protectedBy, ...collection }]) => {
      const present: Collection | undefined = current.collections?.[name]
      if (!present && protectedBy) return []
      const fields = Object.entries(collection.fields ?? {}).flatMap(
        ([field, { visible, ...definition }]) => {
          const presentField = present?.fields?.[field]
          if (!presentField && visible) return []
          return [
            [field, presentField?.visible ? { ...definition, visible: presentField.visible } : definition],
          ] as const
        },
      )
      const readers = present?.readers
      const restored: Collection = {
        ...collection,
        ...(readers ? { readers } : {}),
        fields: Object.fromEntries(fields),
      }
      return [[name, restored] as const]
    }),
  )
