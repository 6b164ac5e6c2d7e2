/** One collection: import, generations, documents. */
import type { CollectionSummary, Generation } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { formatCount } from '#ui/format-count.ts'
import { NotFound } from '#ui/not-found.tsx'
import { Page } from '#ui/page.tsx'
import { Documents } from './documents.tsx'
import { Generations } from './generations.tsx'
import { ImportFile } from './import-file.tsx'
import { useImport } from './use-import.ts'

export const Collection = () => {
  const { workspace, collection } = useParams({ from: '/signed-in/w/$workspace/data/$collection' })
  const { data } = useSuspenseQuery(readOperation('listCollections', { params: { workspace } }))
  const summary = data.items.find(item => item.collection === collection)
  if (!summary) return <NotFound />
  return <CollectionPage workspace={workspace} summary={summary} />
}

const CollectionPage = ({ workspace, summary }: { workspace: string; summary: CollectionSummary }) => {
  const { collection, documents, idField, fields } = summary
  const { may } = useWorkspaceAccess(workspace)
  const upload = useImport(workspace, collection)
  /** The result of an import no longer describes the live generation. */
  const forgetOutcome = () => {
    if (!upload.underway) upload.clear()
  }
  const importFile = (generations?: readonly Generation[]) => (
    <ImportFile
      workspace={workspace}
      collection={collection}
      idField={idField}
      generations={generations}
      upload={upload}
    />
  )
  return (
    <Page
      title={collection}
      description={`${documents === null ? 'Documents' : formatCount(documents, 'document')}. ${fields.map(({ name, type }) => `${name}: ${type}`).join(', ')}`}
    >
      {may('edit') ? (
        <CollectionContent
          workspace={workspace}
          collection={collection}
          idField={idField}
          onSwitched={forgetOutcome}
          isVisible={documents !== null}
        >
          {importFile}
        </CollectionContent>
      ) : (
        importFile()
      )}
    </Page>
  )
}

interface CollectionContentProps {
  workspace: string
  collection: string
  idField: string
  isVisible: boolean
  /** Another generation has become the live one. */
  onSwitched: () => void
  children: (generations: readonly Generation[]) => ReactNode
}

/** Shows the generations and documents below the import. */
const CollectionContent = ({
  workspace,
  collection,
  idField,
  isVisible,
  onSwitched,
  children,
}: CollectionContentProps) => {
  const params = { workspace, collection }
  const { data: generations } = useSuspenseQuery(readOperation('listGenerations', { params }))
  return (
    <>
      {children(generations.items)}
      <Generations {...params} generations={generations.items} onSwitched={onSwitched} />
      <Documents {...params} idField={idField} isVisible={isVisible} />
    </>
  )
}
