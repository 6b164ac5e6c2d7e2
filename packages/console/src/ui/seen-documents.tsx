import type { Role, RowFilter } from '@querent/contract/manage'
import { rolePermissions } from '@querent/contract/roles'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { FilterInWords } from './filter-in-words.tsx'
import { TextLink } from './links.tsx'

interface SeenDocumentsProps {
  workspace: string
  /** E-mail address or Client ID. */
  member: string
  filter: RowFilter | undefined
  roles: readonly Role[]
}

/** Which documents a member sees, in words, and a link that shows them. */
export const SeenDocuments = ({ workspace, member, filter, roles }: SeenDocumentsProps) =>
  filter ? (
    <>
      <FilterInWords workspace={workspace} filter={filter} />{' '}
      {roles.some(role => rolePermissions[role].includes('query')) ? (
        <Preview workspace={workspace} member={member} />
      ) : (
        '(nothing to preview: no role of theirs may query)'
      )}
    </>
  ) : (
    'everything'
  )

/** To "Try it", with the eyes of the member. */
const Preview = ({ workspace, member }: { workspace: string; member: string }) => {
  const { data } = useSuspenseQuery(readOperation('listApis', { params: { workspace } }))
  const [api] = data.items
  if (!api) return '(to preview it, make an API first)'
  return (
    <TextLink
      to="/w/$workspace/apis/$api"
      params={{ workspace, api: api.api }}
      search={{ as: member }}
      size="sm"
    >
      Preview as this member
    </TextLink>
  )
}
