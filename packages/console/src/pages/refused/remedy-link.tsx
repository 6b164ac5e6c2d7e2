import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import { ButtonLink } from '#ui/links.tsx'
import type { RemedyPlace } from './explain.ts'

/** Opens the page where the cause can be corrected, for those who may. */
export const RemedyLink = ({ workspace, place }: { workspace: string; place: RemedyPlace }) => {
  const { may } = useWorkspaceAccess(workspace)
  const { data: me } = useSuspenseQuery(readOperation('getMe', {}))
  const params = { workspace }
  if (place.kind === 'person')
    return me.operator ? (
      <ButtonLink to="/server/people/$email" params={{ email: place.email }}>
        {t('Open the account')}
      </ButtonLink>
    ) : null
  if (!may('administer')) return null
  switch (place.kind) {
    case 'invite':
      return (
        <ButtonLink to="/w/$workspace/settings/team-members" params={params} search={{ invite: place.email }}>
          {t('Invite {email}', { email: place.email })}
        </ButtonLink>
      )
    case 'member':
      return (
        <ButtonLink
          to="/w/$workspace/settings/team-members"
          params={params}
          search={{ search: place.search }}
        >
          {t('Edit {name}', { name: place.search })}
        </ButtonLink>
      )
    case 'system-to-system':
      return (
        <ButtonLink
          to="/w/$workspace/settings/team-members/system-to-system/$clientId"
          params={{ workspace, clientId: place.clientId }}
        >
          {t('Open the account')}
        </ButtonLink>
      )
    case 'system-to-system-accounts':
      return (
        <ButtonLink to="/w/$workspace/settings/team-members" params={params}>
          {t('Open the team members')}
        </ButtonLink>
      )
    case 'applications':
      return (
        <ButtonLink to="/w/$workspace/settings/applications" params={params}>
          {t('Open the applications')}
        </ButtonLink>
      )
  }
}
