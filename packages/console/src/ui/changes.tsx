import { Text } from '@mantine/core'
import type { Change } from '@querent/contract/manage'
import { IconMinus, IconPencil, IconPlus } from '@tabler/icons-react'
import { t } from '#i18n/translate.ts'
import { describeChange } from './change-sentences.tsx'

const marks = {
  add: { icon: IconPlus, label: t('added') },
  change: { icon: IconPencil, label: t('changed') },
  remove: { icon: IconMinus, label: t('removed') },
} as const
/** Further changes are only counted. */
const shownMax = 100

interface ChangesProps {
  /** Undefined: the reader may not read what the workspace has, so documents have their ids. */
  workspace: string | undefined
  changes: readonly Change[]
}

/** Lists the changes in sentences. Pointing at one shows its place in the file. */
export const Changes = ({ workspace, changes }: ChangesProps) => (
  <>
    <ul className="changes">
      {changes.slice(0, shownMax).flatMap(change => {
        const { icon: Icon, label } = marks[change.change]
        return describeChange(workspace, change).map((sentence, index) => (
          <li
            // Sentences of one change keep their order.
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            key={`${change.change} ${change.path} ${index}`}
            title={change.path}
          >
            <span data-change={change.change} role="img" aria-label={label}>
              <Icon size={12} stroke={2.5} aria-hidden />
            </span>
            <div>{sentence}</div>
          </li>
        ))
      })}
    </ul>
    {changes.length > shownMax && (
      <Text size="sm">{t('and {count} more', { count: changes.length - shownMax })}</Text>
    )}
  </>
)
