import { Menu, useMantineColorScheme } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import { IconLogout, IconUserCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { person, signOut } from '#api/session.ts'
import { changeLanguage, type Language, language, languages, t } from '#i18n/translate.ts'
import { colorSchemes } from './color-schemes.ts'
import { MenuLink } from './menu-link.tsx'

/** Account, theme, language, sign-out. Loaded when it is opened for the first time, and open then. */
export const AccountMenu = ({ children }: { children: ReactNode }) => {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu
      position="bottom-end"
      offset={12}
      width={230}
      defaultOpened
      // In a landmark that covers nothing of it.
      portalProps={{ target: '#content' }}
      // A menu may hold no element but items (WAI-ARIA 1.2).
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label style={{ overflowWrap: 'anywhere' }}>{displayEmail(person()?.email ?? '')}</Menu.Label>
        <MenuLink to="/you" leftSection={<IconUserCircle size={18} />}>
          {t('Account')}
        </MenuLink>
        <Menu.Divider />
        <Menu.Label>{t('Theme')}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={value =>
            setColorScheme(colorSchemes.find(({ scheme }) => scheme === value)?.scheme ?? 'auto')
          }
        >
          {colorSchemes.map(({ scheme, label }) => (
            <Menu.RadioItem key={scheme} value={scheme}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t('Language')}</Menu.Label>
        <Menu.RadioGroup
          value={language}
          // The items are the languages.
          onChange={value => changeLanguage(value as Language)}
        >
          {Object.entries(languages).map(([tag, name]) => (
            <Menu.RadioItem key={tag} value={tag} lang={tag}>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={18} />} onClick={signOut}>
          {t('Sign out')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
