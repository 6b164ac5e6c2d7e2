import { Button, Stack, Text } from '@mantine/core'
import type { WorkspacePermission } from '@querent/contract/roles'
import { useOperation } from '#api/manage.ts'
import { person } from '#api/session.ts'
import { permittedRoles, type WorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import { Empty } from './empty.tsx'
import { ErrorNote } from './error-note.tsx'
import { TextLink } from './links.tsx'
import { roleNames } from './role-names.ts'

interface NoAccessProps {
  workspace: string
  access: WorkspaceAccess
  permission: WorkspacePermission
}

/** Replaces a page that needs another role: names the roles, and what to do next. */
export const NoAccess = ({ workspace, access: { roles, operator }, permission }: NoAccessProps) => (
  <Empty title={t("You don't have access to this page")} isPage>
    <Stack gap="sm" align="center">
      <Text>
        {t('It is available to {roles}.', { roles: permittedRoles[permission] })}{' '}
        {roles.length > 0
          ? t('Your role here is {role}. An administrator of this workspace can change it.', {
              role: roles.map(role => roleNames[role]).join(', '),
            })
          : t("You're not a member of this workspace.")}
      </Text>
      {operator ? (
        <Join workspace={workspace} />
      ) : (
        <TextLink to="/w/$workspace" params={{ workspace }}>
          {t('Go to the overview')}
        </TextLink>
      )}
    </Stack>
  </Empty>
)

/** Operators can manage every workspace. To query one, they must become a member. */
const Join = ({ workspace }: { workspace: string }) => {
  const addMember = useOperation('setMember')
  const join = () =>
    addMember.mutateAsync({
      params: { workspace, email: person()?.email ?? '' },
      input: { roles: ['administrator'] },
    })
  return (
    <>
      <Button
        // The error is shown from the state of the mutation.
        onClick={() => join().catch(() => {})}
        loading={addMember.isPending}
      >
        {t('Become an administrator')}
      </Button>
      {addMember.error && <ErrorNote error={addMember.error} />}
    </>
  )
}
