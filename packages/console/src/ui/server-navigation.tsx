import { Stack } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import { NavigationLink } from './links.tsx'
import { serverEntries } from './navigation.ts'
import { NavigationSection } from './workspace-navigation.tsx'

/** The pages of the server, for operators. `onFollow`: a link was followed. */
export const ServerNavigation = ({ onFollow }: { onFollow: () => void }) => (
  <Stack gap="md">
    <NavigationSection heading={t('Server')}>
      {serverEntries.map(({ to, label, icon: Icon }) => (
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
