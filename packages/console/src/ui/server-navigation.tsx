import { Stack } from '@mantine/core'
import {
  IconActivityHeartbeat,
  IconDatabaseExport,
  IconFolders,
  IconKey,
  IconMail,
  IconUsers,
} from '@tabler/icons-react'
import { t } from '#i18n/translate.ts'
import { NavigationLink } from './links.tsx'
import { NavigationSection } from './workspace-navigation.tsx'

/** The pages of operators. A new page is one line here. */
const entries = [
  { to: '/server', label: t('Status'), icon: IconActivityHeartbeat },
  { to: '/server/people', label: t('People'), icon: IconUsers },
  { to: '/server/workspaces', label: t('Workspaces'), icon: IconFolders },
  { to: '/server/keys', label: t('Signing keys'), icon: IconKey },
  { to: '/server/mail', label: t('Mail'), icon: IconMail },
  { to: '/server/backup', label: t('Backup'), icon: IconDatabaseExport },
] as const

/** The pages of the server, for operators. `onFollow`: a link was followed. */
export const ServerNavigation = ({ onFollow }: { onFollow: () => void }) => (
  <Stack gap="md">
    <NavigationSection heading={t('Server')}>
      {entries.map(({ to, label, icon: Icon }) => (
        <NavigationLink
          key={to}
          to={to}
          label={label}
          leftSection={<Icon size={18} stroke={1.7} />}
          // A page below it keeps it marked.
          activeOptions={{ exact: to === '/server' }}
          activeProps={{ active: true }}
          onClick={onFollow}
        />
      ))}
    </NavigationSection>
  </Stack>
)
