import type { SystemRole } from '@querent/contract/manage'
import { documentsPath } from '@querent/contract/paths'
import { useQuery } from '@tanstack/react-query'
import { baseUrl } from '#api/addresses.ts'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { curl } from '#ui/curl.ts'
import { useFirstQuery } from '#ui/first-query.ts'

interface FirstRequestProps {
  workspace: string
  /** Roles of the account. */
  roles: readonly SystemRole[]
}

/** Shows a request for the new account: a query, or an import if it can only import. */
export const FirstRequest = ({ workspace, roles }: FirstRequestProps) =>
  roles.includes('api') ? <FirstQuery workspace={workspace} /> : <FirstImport workspace={workspace} />

/** Renders nothing if no API has a text search yet. */
const FirstQuery = ({ workspace }: { workspace: string }) => {
  const address = useFirstQuery(workspace)
  if (address === undefined) return null
  return <CopyValue label={t('Query with the access_token of the reply')} value={curl(address)} block />
}

/** Renders nothing without a collection. */
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
      label={t('Import with the access_token of the reply')}
      value={curl(address, { 'Content-Type': 'application/x-ndjson' }, JSON.stringify(document))}
      block
    />
  )
}
