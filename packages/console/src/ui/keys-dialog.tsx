import { Kbd, Modal, Text } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import type { DialogState } from './dialog-button.tsx'

const command = /Mac|iP/.test(navigator.platform) ? '⌘' : 'Ctrl'

const sections: readonly {
  title: string
  keys: readonly (readonly [keys: readonly string[], effect: string])[]
}[] = [
  {
    title: t('Everywhere'),
    keys: [
      [[command, 'K'], t('Go to a page, a document, a field or a setting')],
      [['/'], t('The same, outside of a field')],
      [['?'], t('Show these keys')],
      [['Esc'], t('Close a dialog or a menu')],
    ],
  },
  {
    title: t('Lists'),
    keys: [
      [['↑', '↓'], t('Choose in a list or a menu')],
      [['←', '→'], t('Go to another tab')],
      [['Space'], t('Tick, or lift a row at its handle to move it')],
      [['Shift', t('click')], t('Select all documents from the last ticked one on')],
    ],
  },
  {
    title: t('Map'),
    keys: [
      [['↑', '↓', '←', '→'], t('Move the map')],
      [['+', '−'], t('Zoom')],
    ],
  },
  {
    title: t('Workspace file'),
    keys: [
      [[command, 'S'], t('Preview the changes')],
      [[command, 'F'], t('Search the text')],
      [['Ctrl', 'Space'], t('List what fits')],
      [['F1'], t('Explain the key')],
      [['F8'], t('Go to the next error')],
    ],
  },
]

/** The keys of the console. */
export const KeysDialog = ({ isOpen, onClose }: DialogState) => (
  <Modal
    opened={isOpen}
    onClose={onClose}
    title={t('Keyboard shortcuts')}
    size="lg"
    closeButtonProps={{ 'aria-label': t('Close') }}
  >
    {sections.map(({ title, keys }) => (
      <section key={title} aria-label={title}>
        <Text fw={600} mt="sm" mb={4}>
          {title}
        </Text>
        <dl className="facts">
          {keys.map(([names, effect]) => (
            <div key={effect} className="key-row">
              <dt>
                {names.map(name => (
                  <Kbd key={name} mr={4}>
                    {name}
                  </Kbd>
                ))}
              </dt>
              <dd>{effect}</dd>
            </div>
          ))}
        </dl>
      </section>
    ))}
  </Modal>
)
