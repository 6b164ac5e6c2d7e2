import { Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '#i18n/translate.ts'
import { MenuLink } from './menu-link.tsx'

interface WorkspaceMenuProps {
  workspaces: readonly { workspace: string; title: string }[]
  /** Whether the person is an operator. */
  operator: boolean
  /** The button, as it stands in the header. */
  children: ReactNode
}

/** The workspaces to go to. Loaded when it is opened for the first time, and open then. */
export const WorkspaceMenu = ({ workspaces, operator, children }: WorkspaceMenuProps) => (
  <Menu
    position="bottom-start"
    defaultOpened
    // In a landmark that covers nothing of it.
    portalProps={{ target: '#content' }}
    // A menu may hold no element but items (WAI-ARIA 1.2).
    withInitialFocusPlaceholder={false}
  >
    <Menu.Target>{children}</Menu.Target>
    <Menu.Dropdown>
      {workspaces.slice(0, 20).map(({ workspace, title }) => (
        <MenuLink key={workspace} to="/w/$workspace" params={{ workspace }}>
          {title}
        </MenuLink>
      ))}
      <Menu.Divider />
      <MenuLink to="/workspaces">{t('All workspaces')}</MenuLink>
      {operator && <MenuLink to="/server">{t('Server')}</MenuLink>}
    </Menu.Dropdown>
  </Menu>
)
