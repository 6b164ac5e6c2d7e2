import type { Role, RowFilter } from '@querent/contract/manage'
import { rolePermissions } from '@querent/contract/roles'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { FilterInWords } from './filter-in-words.tsx'
import { TextLink } from './links.tsx'

interface SeenDocumentsProps {
  workspace: string
  /** E-mail address or Client ID. */
  member: string
  filter: RowFilter | undefined
  roles: readonly Role[]
}

/** Describes the documents that a member sees, with a link to a preview. */
export const SeenDocuments = ({ workspace, member, filter, roles }: SeenDocumentsProps) =>
  filter ? (
    <>
      <FilterInWords workspace={workspace} filter={filter} />{' '}
      {roles.some(role => rolePermissions[role].includes('query')) ? (
        <Preview workspace={workspace} member={member} />
      ) : (
        t('(no preview: their roles cannot query)')
      )}
    </>
  ) : (
    t('all')
  )

/** Links to "Try it" with the row filter of the member. */
const Preview = ({ workspace, member }: { workspace: string; member: string }) => {
  const { data } = useSuspenseQuery(readOperation('listApis', { params: { workspace } }))
  const [api] = data.items
  if (!api) return t('(create an API to preview)')
  return (
    <TextLink
      to="/w/$workspace/apis/$api"
      params={{ workspace, api: api.api }}
      search={{ as: member }}
      size="sm"
    >
      {t('Preview as this member')}
    </TextLink>
  )
}
