import { ActionIcon, Button, Kbd } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { lazy, useEffect } from 'react'
import { t } from '#i18n/translate.ts'
import { useLazyDialog } from './dialog-button.tsx'

const CommandPalette = lazy(async () => ({ default: (await import('./command-palette.tsx')).CommandPalette }))

/** Opens the command palette; Ctrl-K, Command-K and `/` do so too. */
export const CommandButton = ({ workspace }: { workspace: string | undefined }) => {
  const { open, dialog } = useLazyDialog(state => <CommandPalette workspace={workspace} {...state} />)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isShortcut(event) || document.querySelector('[role=dialog]')) return
      event.preventDefault()
      open()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  })
  const label = t('Go to…')
  return (
    <>
      <Button
        variant="default"
        c="dimmed"
        fw={400}
        leftSection={<IconSearch size={16} />}
        rightSection={
          <Kbd size="xs" aria-hidden>
            {isApple ? '⌘ K' : 'Ctrl K'}
          </Kbd>
        }
        onClick={open}
        visibleFrom="sm"
        aria-haspopup="dialog"
      >
        {label}
      </Button>
      <ActionIcon
        variant="default"
        size={36}
        onClick={open}
        hiddenFrom="sm"
        aria-label={label}
        aria-haspopup="dialog"
      >
        <IconSearch size={18} />
      </ActionIcon>
      {dialog}
    </>
  )
}

const isApple = /Mac|iP/.test(navigator.platform)

const isShortcut = (event: KeyboardEvent): boolean => {
  const { key, ctrlKey, metaKey, altKey } = event
  if (key.toLowerCase() === 'k') return (isApple ? metaKey : ctrlKey) && !altKey
  return key === '/' && !ctrlKey && !metaKey && !altKey && !isTyping(event.target)
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
