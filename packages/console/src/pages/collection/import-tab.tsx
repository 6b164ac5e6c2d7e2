import type { Generation } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { useCollection } from './collection-context.ts'
import { ImportFile } from './import-file.tsx'

/** Imports files of documents. */
export const ImportTab = () => {
  const { may } = useWorkspaceAccess(useCollection().workspace)
  return may('edit') ? <WithGenerations /> : <Form generations={undefined} />
}

const WithGenerations = () => {
  const { workspace, summary } = useCollection()
  const params = { workspace, collection: summary.collection }
  const { data } = useSuspenseQuery(readOperation('listGenerations', { params }))
  return <Form generations={data.items} />
}

const Form = ({ generations }: { generations: readonly Generation[] | undefined }) => {
  const { workspace, summary, upload } = useCollection()
  return <ImportFile workspace={workspace} summary={summary} generations={generations} upload={upload} />
}
