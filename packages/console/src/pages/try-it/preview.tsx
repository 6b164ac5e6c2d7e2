import { Alert } from '@mantine/core'
import { canonicalEmail, displayEmail } from '@querent/contract/email-address'
import { groupPrefix } from '@querent/contract/preview-headers'
import { useQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { FilterInWords } from '#ui/filter-in-words.tsx'
import { TextLink } from '#ui/links.tsx'
import type { TryItSearch } from './search.ts'

interface PreviewProps {
  workspace: string
  api: string
  search: TryItSearch
  /** E-mail address or Client ID. */
  previewedMember: string
}

/** Says which member is previewed, and the limits of a preview. */
export const Preview = ({ workspace, api, search, previewedMember }: PreviewProps) => {
  const { data } = useQuery(
    readOperation('listMembers', { params: { workspace }, query: { search: previewedMember } }),
  )
  const member = data?.items.find(
    ({ email, clientId }) =>
      (email !== undefined && canonicalEmail(previewedMember) === canonicalEmail(email)) ||
      previewedMember === clientId,
  )
  const group = previewedMember.startsWith(groupPrefix)
    ? previewedMember.slice(groupPrefix.length)
    : undefined
  const name = group ?? displayEmail(member?.email ?? member?.name ?? previewedMember)
  return (
    <Alert color="yellow" variant="light" role="status" title={t('Preview as {name}', { name })}>
      {group !== undefined && t('You see what somebody in this group only would see.')}
      {!member &&
        group === undefined &&
        t('You see the documents that the row filter of {name} allows.', { name })}
      {member &&
        (member.filter && Object.keys(member.filter).length > 0
          ? tNodes('You see the documents that the row filter of {name} allows: {filter}.', {
              name,
              filter: <FilterInWords workspace={workspace} filter={member.filter} />,
            })
          : member.filter || member.roles.includes('administrator')
            ? t('{name} sees all documents.', { name })
            : t('You see the documents that the groups of {name} and the defaults of members allow.', {
                name,
              }))}{' '}
      {t('Only the filter applies: you query with your own role.')}{' '}
      <TextLink
        to="/w/$workspace/apis/$api"
        params={{ workspace, api }}
        search={{ ...search, as: undefined }}
      >
        {t('End preview')}
      </TextLink>
    </Alert>
  )
}
