import { Menu } from '@mantine/core'
import type { ReactNode } from 'react'

export interface AddMenuEntry {
  name: string
  title: string
}

interface AddMenuProps {
  entries: readonly AddMenuEntry[]
  onAdd: (name: string) => void
  /** The button that opens it. */
  children: ReactNode
}

/** Endpoints to add, by title. Loaded when it is opened for the first time, and open then. */
export const AddMenu = ({ entries, onAdd, children }: AddMenuProps) => (
  <Menu
    position="bottom-start"
    defaultOpened
    // The field that was added takes the focus.
    returnFocus={false}
    // In a landmark that covers nothing of it.
    portalProps={{ target: '#content' }}
    // A menu may hold no element but items (WAI-ARIA 1.2).
    withInitialFocusPlaceholder={false}
  >
    <Menu.Target>{children}</Menu.Target>
    <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
      {entries.map(({ name, title }) => (
        <Menu.Item key={name} onClick={() => onAdd(name)}>
          {title}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
)
