import { Alert } from '@mantine/core'
import { canonicalEmail, displayEmail } from '@querent/contract/email-address'
import { groupPrefix } from '@querent/contract/preview-headers'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { readOperation } from '#api/manage.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { FilterInWords } from '#ui/filter-in-words.tsx'
import { TextLink } from '#ui/links.tsx'
import { findOpenApis } from '#ui/member-groups.ts'
import type { TryItSearch } from './search.ts'

interface PreviewProps {
  workspace: string
  api: string
  search: TryItSearch
  /** E-mail address or Client ID. */
  previewedMember: string
}

/** Returns the previewed member or group, and its name for people. */
const usePreviewed = (workspace: string, previewedMember: string) => {
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
  return { member, group, name: group ?? displayEmail(member?.email ?? member?.name ?? previewedMember) }
}

/** In place of the form, if the previewed member may not use the API: whose view it is, and the APIs that are open to them. */
export const ClosedToMember = ({ workspace, api, search, previewedMember }: PreviewProps) => {
  const { member, group, name } = usePreviewed(workspace, previewedMember)
  const { data: groups } = useQuery(readOperation('listGroups', { params: { workspace } }))
  const { data: apis } = useQuery(readOperation('listApis', { params: { workspace } }))
  const holder = group === undefined ? member : { groups: [group] }
  const openApis = holder && groups && apis && findOpenApis(apis.items, holder, groups)
  return (
    <Alert color="yellow" variant="light" role="status" title={t('Preview as {name}', { name })}>
      {t('{name} may not use this API.', { name })}{' '}
      {openApis &&
        (openApis.length === 0
          ? t('No API is open to {name}.', { name })
          : tNodes('Open to {name}: {apis}.', {
              name,
              apis: openApis.slice(0, openApisMax).map((open, index) => (
                <Fragment key={open.api}>
                  {index > 0 && ', '}
                  <TextLink
                    to="/w/$workspace/apis/$api"
                    params={{ workspace, api: open.api }}
                    search={{ as: previewedMember }}
                  >
                    {open.title}
                  </TextLink>
                </Fragment>
              )),
            }))}{' '}
      <EndPreview {...{ workspace, api, search }} />
    </Alert>
  )
}

const EndPreview = ({ workspace, api, search }: Pick<PreviewProps, 'workspace' | 'api' | 'search'>) => (
  <TextLink to="/w/$workspace/apis/$api" params={{ workspace, api }} search={{ ...search, as: undefined }}>
    {t('End preview')}
  </TextLink>
)

/** More open APIs are not listed. */
const openApisMax = 20

/** Says which member is previewed, and the limits of a preview. */
export const Preview = ({ workspace, api, search, previewedMember }: PreviewProps) => {
  const { member, group, name } = usePreviewed(workspace, previewedMember)
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
      <EndPreview {...{ workspace, api, search }} />
    </Alert>
  )
}
