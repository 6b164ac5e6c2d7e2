/** One collection: import, generations, documents. */
import type { CollectionSummary, Generation } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { reading } from '#api/manage.ts'
import { useStanding } from '#api/rights.ts'
import { counted } from '#ui/count.ts'
import { NotFound } from '#ui/not-found.tsx'
import { Page } from '#ui/page.tsx'
import { Documents } from './documents.tsx'
import { Generations } from './generations.tsx'
import { ImportFile } from './import-file.tsx'
import { useImport } from './use-import.ts'

export const Collection = () => {
  const { workspace, collection } = useParams({ from: '/signed-in/w/$workspace/data/$collection' })
  const { data } = useSuspenseQuery(reading('listCollections', { params: { workspace } }))
  const found = data.items.find(item => item.collection === collection)
  if (!found) return <NotFound />
  return <Known workspace={workspace} found={found} />
}

const Known = ({ workspace, found }: { workspace: string; found: CollectionSummary }) => {
  const { collection, documents, idField, fields } = found
  const { may } = useStanding(workspace)
  const upload = useImport(workspace, collection)
  /** What an import said of the live generation holds no longer. */
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
      about={`${documents === null ? 'Documents' : counted(documents, 'document')}. ${fields.map(({ name, type }) => `${name}: ${type}`).join(', ')}`}
    >
      {may('edit') ? (
        <Kept
          workspace={workspace}
          collection={collection}
          idField={idField}
          onExchanged={forgetOutcome}
          isTold={documents !== null}
        >
          {importFile}
        </Kept>
      ) : (
        importFile()
      )}
    </Page>
  )
}

interface KeptProps {
  workspace: string
  collection: string
  idField: string
  isTold: boolean
  /** Another generation has become the live one. */
  onExchanged: () => void
  children: (generations: readonly Generation[]) => ReactNode
}

/** What the collection holds, below the import, which is told of the generations. */
const Kept = ({ workspace, collection, idField, isTold, onExchanged, children }: KeptProps) => {
  const params = { workspace, collection }
  const { data: generations } = useSuspenseQuery(reading('listGenerations', { params }))
  return (
    <>
      {children(generations.items)}
      <Generations {...params} generations={generations.items} onExchanged={onExchanged} />
      <Documents {...params} idField={idField} isTold={isTold} />
    </>
  )
}
