import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { useCollection } from './collection-context.ts'
import { Documents } from './documents/documents.tsx'
import { ImportTab } from './import-tab.tsx'

/** The documents of the collection. Shows the import to people who may do nothing else here. */
export const DocumentsTab = () => {
  const { may } = useWorkspaceAccess(useCollection().workspace)
  return may('edit') ? <Documents /> : <ImportTab />
}
