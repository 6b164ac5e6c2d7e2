import { useFirstQuery } from '#api/first-query.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { curl } from '#ui/curl.ts'

/** A query that a new token opens; nothing where no API searches words yet. */
export const FirstQuery = ({ workspace }: { workspace: string }) => {
  const address = useFirstQuery(workspace)
  if (address === undefined) return null
  return <CopyValue label="A query with the access_token of the reply" value={curl(address)} block />
}
