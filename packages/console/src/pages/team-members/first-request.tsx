import type { SystemRole } from '@querent/contract/manage'
import { documentsPath } from '@querent/contract/paths'
import { useQuery } from '@tanstack/react-query'
import { baseUrl } from '#api/addresses.ts'
import { useFirstQuery } from '#api/first-query.ts'
import { readOperation } from '#api/manage.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { curl } from '#ui/curl.ts'

interface FirstRequestProps {
  workspace: string
  /** Of the account whose token it is. */
  roles: readonly SystemRole[]
}

/** A request that a new token opens: a query, or an import for an account that may do nothing else. */
export const FirstRequest = ({ workspace, roles }: FirstRequestProps) =>
  roles.includes('api') ? <FirstQuery workspace={workspace} /> : <FirstImport workspace={workspace} />

/** Nothing where no API searches words yet. */
const FirstQuery = ({ workspace }: { workspace: string }) => {
  const address = useFirstQuery(workspace)
  if (address === undefined) return null
  return <CopyValue label="A query with the access_token of the reply" value={curl(address)} block />
}

/** Nothing where there is no collection yet. */
const FirstImport = ({ workspace }: { workspace: string }) => {
  const { data } = useQuery(readOperation('listCollections', { params: { workspace } }))
  const [first] = data?.items ?? []
  if (!first) return null
  const field = first.fields.find(({ type }) => type === 'text')?.name
  const document = {
    [first.idField]: 'first',
    ...(field === undefined ? {} : { [field]: 'A first document' }),
  }
  const address = baseUrl + documentsPath(workspace, first.collection)
  return (
    <CopyValue
      label="An import with the access_token of the reply"
      value={curl(address, { 'Content-Type': 'application/x-ndjson' }, JSON.stringify(document))}
      block
    />
  )
}
