import { Text } from '@mantine/core'
import { person } from '#api/session.ts'
import { t } from '#i18n/translate.ts'
import { Empty } from './empty.tsx'
import { TextLink } from './links.tsx'

/** Replaces the pages of a workspace that the person is not a member of, or that does not exist. Only operators learn which. */
export const NotAMember = ({ workspace, operator }: { workspace: string; operator: boolean }) => (
  <Empty title={operator ? t('Workspace not found') : t("You're not a member of this workspace")} isPage>
    <Text>
      {operator
        ? t('The workspace {workspace} does not exist. It may have been deleted or renamed.', { workspace })
        : t(
            'You are signed in as {email}. If the workspace {workspace} exists, one of its administrators can invite you at this address.',
            { email: person()?.email ?? '', workspace },
          )}
    </Text>
    <TextLink to="/workspaces">{operator ? t('All workspaces') : t('Your workspaces')}</TextLink>
  </Empty>
)
