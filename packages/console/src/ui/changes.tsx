import { Badge, Code, List, Text } from '@mantine/core'
import type { Change } from '@querent/contract/manage'
import { t, tNodes } from '#i18n/translate.ts'

const changeLabels = { add: t('added'), change: t('changed'), remove: t('removed') } as const
const changeColors = { add: 'green', change: 'querent', remove: 'red' } as const
/** Further changes are only counted. */
const shownMax = 100

/** Lists the changes. */
export const Changes = ({ changes }: { changes: readonly Change[] }) => (
  <>
    <List spacing={6} listStyleType="none" p={0}>
      {changes.slice(0, shownMax).map(({ change, path, before, after }) => (
        <List.Item key={`${change} ${path}`}>
          <Badge color={changeColors[change]} variant="light" mr="xs">
            {changeLabels[change]}
          </Badge>
          <Text span ff="monospace" size="sm">
            {path}
          </Text>
          {change === 'change' && isShort(before) && isShort(after) && (
            <Text span size="sm">
              {' '}
              {tNodes('from {before} to {after}', {
                before: <Code>{formatValue(before)}</Code>,
                after: <Code>{formatValue(after)}</Code>,
              })}
            </Text>
          )}
        </List.Item>
      ))}
    </List>
    {changes.length > shownMax && (
      <Text size="sm">{t('and {count} more', { count: changes.length - shownMax })}</Text>
    )}
  </>
)

const formatValue = (value: unknown): string => (value === undefined ? t('none') : JSON.stringify(value))

const isShort = (value: unknown): boolean => formatValue(value).length <= 80
