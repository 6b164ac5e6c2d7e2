import { ActionIcon, Button, Kbd } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { lazy, useEffect, useRef, useState } from 'react'
import { t } from '#i18n/translate.ts'
import { useLazyDialog } from './dialog-button.tsx'

const CommandPalette = lazy(async () => ({ default: (await import('./command-palette.tsx')).CommandPalette }))
const KeysDialog = lazy(async () => ({ default: (await import('./keys-dialog.tsx')).KeysDialog }))

/** Opens the command palette; Ctrl-K, Command-K and `/` do so too. `?` lists the keys. */
export const CommandButton = ({ workspace }: { workspace: string | undefined }) => {
  const [text, setText] = useState('')
  /** Until the field of the palette has the focus, a plain field takes the keys. */
  const [isWaiting, setWaiting] = useState(false)
  /** Enter was pressed in the plain field. */
  const isEntered = useRef(false)
  const opener = useRef<Element>(null)
  const keys = useLazyDialog(dialog => <KeysDialog {...dialog} />)
  const palette = useLazyDialog(({ isOpen }) => (
    <CommandPalette
      workspace={workspace}
      isOpen={isOpen}
      onClose={close}
      text={text}
      onTextChange={setText}
      onReady={() => {
        setWaiting(false)
        return isEntered.current
      }}
      onShowKeys={keys.open}
    />
  ))
  const open = () => {
    opener.current = document.activeElement
    isEntered.current = false
    setText('')
    setWaiting(true)
    palette.open()
  }
  const close = () => {
    setWaiting(false)
    palette.close()
    if (opener.current instanceof HTMLElement) opener.current.focus()
  }
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isKeys = isPlainKey(event, '?')
      if (event.defaultPrevented || !(isKeys || isShortcut(event)) || document.querySelector('[role=dialog]'))
        return
      event.preventDefault()
      if (isKeys) keys.open()
      else if (!isWaiting) open()
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
      {isWaiting && (
        <input
          className="palette-early"
          // biome-ignore lint/a11y/noAutofocus: the person opened the palette and already types
          autoFocus
          aria-label={t('Go to a page, or do something')}
          placeholder={t('Go to a page, or do something')}
          autoComplete="off"
          value={text}
          onChange={event => setText(event.currentTarget.value)}
          onKeyDown={({ key }) => {
            if (key === 'Enter') isEntered.current = true
            if (key === 'Escape') close()
          }}
        />
      )}
      {palette.dialog}
      {keys.dialog}
    </>
  )
}

const isApple = /Mac|iP/.test(navigator.platform)

const isShortcut = (event: KeyboardEvent): boolean => {
  const { key, ctrlKey, metaKey, altKey } = event
  if (key.toLowerCase() === 'k') return (isApple ? metaKey : ctrlKey) && !altKey
  return isPlainKey(event, '/')
}

const isPlainKey = ({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent, wanted: string): boolean =>
  key === wanted && !ctrlKey && !metaKey && !altKey && !isTyping(target)

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
