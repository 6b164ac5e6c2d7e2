import { Badge, Code, List, Text } from '@mantine/core'
import type { Change } from '@querent/contract/manage'

const changeLabels = { add: 'added', change: 'changed', remove: 'removed' } as const
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
              from <Code>{formatValue(before)}</Code> to <Code>{formatValue(after)}</Code>
            </Text>
          )}
        </List.Item>
      ))}
    </List>
    {changes.length > shownMax && <Text size="sm">and {changes.length - shownMax} more</Text>}
  </>
)

const formatValue = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value))

const isShort = (value: unknown): boolean => formatValue(value).length <= 80
