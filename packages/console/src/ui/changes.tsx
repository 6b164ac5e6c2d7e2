import { List, Text, ThemeIcon } from '@mantine/core'
import type { Change } from '@querent/contract/manage'
import { IconMinus, IconPencil, IconPlus } from '@tabler/icons-react'
import { t } from '#i18n/translate.ts'
import { describeChange } from './change-sentences.tsx'

const marks = {
  add: { icon: IconPlus, color: 'green', label: t('added') },
  change: { icon: IconPencil, color: 'querent', label: t('changed') },
  remove: { icon: IconMinus, color: 'red', label: t('removed') },
} as const
/** Further changes are only counted. */
const shownMax = 100

interface ChangesProps {
  workspace: string
  changes: readonly Change[]
}

/** Lists the changes in sentences. Pointing at one shows its place in the file. */
export const Changes = ({ workspace, changes }: ChangesProps) => (
  <>
    <List spacing={6} listStyleType="none" p={0} className="changes">
      {changes.slice(0, shownMax).flatMap(change => {
        const { icon: Icon, color, label } = marks[change.change]
        return describeChange(workspace, change).map((sentence, index) => (
          <List.Item
            // Sentences of one change keep their order.
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            key={`${change.change} ${change.path} ${index}`}
            title={change.path}
            icon={
              <ThemeIcon size={18} radius="xl" variant="light" color={color} role="img" aria-label={label}>
                <Icon size={12} stroke={2.5} />
              </ThemeIcon>
            }
          >
            <Text span size="sm" style={{ overflowWrap: 'anywhere' }}>
              {sentence}
            </Text>
          </List.Item>
        ))
      })}
    </List>
    {changes.length > shownMax && (
      <Text size="sm">{t('and {count} more', { count: changes.length - shownMax })}</Text>
    )}
  </>
)
