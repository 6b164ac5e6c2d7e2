/** Dialog that goes to pages, workspaces, APIs and collections, and starts actions, by typing. */
import { Group, Kbd, Modal, Text, TextInput } from '@mantine/core'
import { IconKeyboard, IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react'
import { useWorkspaceLists } from '#api/workspace-lists.ts'
import { t, tCount } from '#i18n/translate.ts'
import { type Command, findCommands, useGeneralCommands, useWorkspaceCommands } from './commands.ts'
import type { DialogState } from './dialog-button.tsx'
import { useDocsCommands, useDocsSearchCommands } from './docs-commands.ts'
import { useDocumentCommands, usePartCommands, useSearchCommands } from './part-commands.ts'

interface PaletteProps extends DialogState {
  text: string
  onTextChange: (text: string) => void
  /** The field has the focus. Returns whether the person has already pressed Enter. */
  onReady: () => boolean
  /** Shows the keys of the console. */
  onShowKeys: () => void
}

interface CommandPaletteProps extends PaletteProps {
  workspace: string | undefined
}

export const CommandPalette = ({ workspace, ...dialog }: CommandPaletteProps) =>
  workspace === undefined ? (
    <GeneralPalette {...dialog} />
  ) : (
    <WorkspacePalette workspace={workspace} {...dialog} />
  )

const GeneralPalette = (dialog: PaletteProps) => (
  <Palette
    commands={[...useGeneralCommands(), ...useDocsCommands()]}
    documents={useDocsSearchCommands(dialog.text)}
    {...dialog}
  />
)

const WorkspacePalette = ({ workspace, ...dialog }: PaletteProps & { workspace: string }) => {
  const { apis = [], collections = [], accounts = [] } = useWorkspaceLists(workspace)
  const commands = useWorkspaceCommands(workspace, {
    apis,
    collections,
    accounts,
  })
  const general = useGeneralCommands()
  const docs = useDocsCommands()
  const parts = usePartCommands(workspace, collections)
  const documents = useDocumentCommands(workspace, collections, dialog.text)
  const searches = useSearchCommands(workspace, apis, dialog.text)
  const sections = useDocsSearchCommands(dialog.text)
  const foundLater = [...documents, ...sections, ...searches]
  return (
    <Palette commands={[...commands, ...general, ...parts, ...docs]} documents={foundLater} {...dialog} />
  )
}

/** Others make place for documents. */
const besideDocuments = 12

/** The commands that a text finds, and after them the documents. `?` alone finds the list of keys. */
const listMatches = (
  commands: readonly Command[],
  documents: readonly Command[],
  text: string,
  onShowKeys: () => void,
): readonly Command[] => {
  const keys: Command = {
    label: t('Keyboard shortcuts'),
    group: t('Action'),
    icon: IconKeyboard,
    isInPlace: true,
    run: onShowKeys,
  }
  if (text.trim() === '?') return [keys]
  const foundCommands = findCommands([...commands, keys], text)
  // Documents come later, and change the place of no command before them.
  return documents.length > 0 ? [...foundCommands.slice(0, besideDocuments), ...documents] : foundCommands
}

/** A combobox with a list (ARIA Authoring Practices, Combobox): the focus stays in the field, arrows move through the list. */
const Palette = ({
  commands,
  isOpen,
  onClose,
  text,
  onTextChange,
  onReady,
  onShowKeys,
  documents = [],
}: PaletteProps & { commands: readonly Command[]; documents?: readonly Command[] }) => {
  const id = useId()
  const [position, setPosition] = useState(0)
  const matches = listMatches(commands, documents, text, onShowKeys)
  const optionId = (index: number) => `${id}-${index}`
  useEffect(() => {
    document.getElementById(optionId(position))?.scrollIntoView({ block: 'nearest' })
  })
  const run = (command: Command | undefined) => {
    if (!command) return
    onClose()
    // The next Tab reaches the new page, without its navigation.
    if (!command.isInPlace) document.getElementById('content')?.focus()
    command.run()
  }
  const focus = useRef((_field: HTMLInputElement) => {})
  focus.current = field => {
    field.focus()
    field.setSelectionRange(text.length, text.length)
    if (onReady()) run(matches[0])
  }
  const takeFocus = useCallback((field: HTMLInputElement | null) => {
    if (field) focus.current(field)
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setPosition((position + step + matches.length) % Math.max(1, matches.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(matches[position])
    }
  }
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="10vh"
      // The button gives the focus back: this dialog takes it from the field that was there before.
      returnFocus={false}
      attributes={{ content: { 'aria-label': t('Go to a page, or do something') } }}
    >
      <TextInput
        ref={takeFocus}
        data-autofocus
        variant="unstyled"
        size="md"
        px="sm"
        py={6}
        leftSection={<IconSearch size={18} />}
        leftSectionWidth={40}
        placeholder={t('Go to a page, or do something')}
        aria-label={t('Go to a page, or do something')}
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={matches.length > 0 ? optionId(position) : undefined}
        autoComplete="off"
        value={text}
        onChange={event => {
          onTextChange(event.currentTarget.value)
          setPosition(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label={t('Results')} className="palette">
        {matches.map((command, index) => {
          const { label, group, key, icon: Icon } = command
          return (
            // The field has the focus and its keys.
            // biome-ignore lint/a11y/useKeyWithClickEvents: see above
            // biome-ignore lint/a11y/useFocusableInteractive: see above
            <div
              key={key ?? `${group} ${label}`}
              id={optionId(index)}
              role="option"
              aria-selected={index === position}
              onClick={() => run(command)}
              onMouseMove={() => setPosition(index)}
            >
              <Icon size={18} stroke={1.7} aria-hidden />
              <Text span size="sm" flex={1} truncate>
                {label}
              </Text>
              <Text span size="xs" c="dimmed">
                {group}
              </Text>
            </div>
          )
        })}
      </div>
      <Group px="md" py="xs" gap="md" className="palette-foot">
        <Text size="xs" c="dimmed" role="status">
          {matches.length === 0
            ? t('Nothing found')
            : tCount(matches.length, '{count} result', '{count} results')}
        </Text>
        <Text size="xs" c="dimmed" visibleFrom="sm">
          <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> <Kbd size="xs">Enter</Kbd> <Kbd size="xs">Esc</Kbd>{' '}
          <Kbd size="xs">?</Kbd>
        </Text>
      </Group>
    </Modal>
  )
}
