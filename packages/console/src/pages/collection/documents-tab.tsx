import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { useCollection } from './collection-context.ts'
import { Documents } from './documents.tsx'
import { ImportTab } from './import-tab.tsx'

/** The documents of the collection. Shows the import to people who may do nothing else here. */
export const DocumentsTab = () => {
  const { workspace, summary } = useCollection()
  const { may } = useWorkspaceAccess(workspace)
  if (!may('edit')) return <ImportTab />
  return (
    <Documents
      workspace={workspace}
      collection={summary.collection}
      idField={summary.idField}
      isVisible={summary.documents !== null}
    />
  )
}
