import { lazy } from 'react'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { useCollection } from './collection-context.ts'
import { Documents } from './documents/documents.tsx'

const ImportTab = lazy(async () => ({ default: (await import('./import-tab.tsx')).ImportTab }))

/** The documents of the collection. Shows the import to people who may do nothing else here. */
export const DocumentsTab = () => {
  const { may } = useWorkspaceAccess(useCollection().workspace)
  return may('edit') ? <Documents /> : <ImportTab />
}
