/** One collection: import, generations, documents. */
import type { CollectionSummary } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { reading } from '#api/manage.ts'
import { counted } from '#ui/count.ts'
import { NotFound } from '#ui/not-found.tsx'
import { Page } from '#ui/page.tsx'
import { Documents } from './documents.tsx'
import { Generations } from './generations.tsx'
import { ImportFile } from './import-file.tsx'

export const Collection = () => {
  const { workspace, collection } = useParams({ from: '/signed-in/w/$workspace/data/$collection' })
  const { data } = useSuspenseQuery(reading('listCollections', { params: { workspace } }))
  const found = data.items.find(item => item.collection === collection)
  if (!found) return <NotFound />
  return <Known workspace={workspace} found={found} />
}

const Known = ({ workspace, found }: { workspace: string; found: CollectionSummary }) => {
  const { collection, documents, fields } = found
  const { data: generations } = useSuspenseQuery(
    reading('listGenerations', { params: { workspace, collection } }),
  )
  return (
    <Page
      title={collection}
      about={`${documents === null ? 'Documents' : counted(documents, 'document')}. ${fields.map(({ name, type }) => `${name}: ${type}`).join(', ')}`}
    >
      <ImportFile workspace={workspace} collection={collection} generations={generations.items} />
      <Generations workspace={workspace} collection={collection} generations={generations.items} />
      <Documents workspace={workspace} collection={collection} isTold={documents !== null} />
    </Page>
  )
}
