import { Badge, Group, Paper, Stack, Table, Text } from '@mantine/core'
import type { Highlights, ResultItem, Results } from '@querent/contract/query'
import { Empty } from '#ui/empty.tsx'
import { Snippet } from './snippet.tsx'

/** Results, one below the other, with what was found marked. */
export const ResultList = ({ results: { items } }: { results: Results }) => {
  if (items.length === 0)
    return (
      <Empty title="Nothing found">
        Fewer words or fewer filters find more. Your row filter, if you have one, holds here too.
      </Empty>
    )
  return (
    <Stack gap="sm">
      {items.map(item => (
        <Result key={item.rank} item={item} />
      ))}
    </Stack>
  )
}

const Result = ({ item: { rank, probability, tuple, highlights = {} } }: { item: ResultItem }) => {
  const [entity] = tuple
  if (!entity) return null
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Text fw={600} ff="monospace" size="sm">
            {entity.id}
          </Text>
          <Group gap={4} wrap="nowrap" flex="none">
            <Badge variant="default" aria-label={`rank ${rank}`}>
              {rank}
            </Badge>
            <Badge variant="light" aria-label={`probability ${probability}`}>
              {probability.toFixed(3)}
            </Badge>
          </Group>
        </Group>
        <Table layout="fixed" verticalSpacing={4} withRowBorders={false}>
          <Table.Tbody>
            {Object.entries(entity.attributes)
              .filter(hasValue)
              .map(([name, value]) => (
                <Table.Tr key={name}>
                  <Table.Th
                    scope="row"
                    w={{ base: 96, sm: 140 }}
                    c="dimmed"
                    fw={500}
                    style={{ verticalAlign: 'top' }}
                  >
                    {name}
                  </Table.Th>
                  <Table.Td>
                    <Value name={name} value={value} highlights={highlights} />
                  </Table.Td>
                </Table.Tr>
              ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </Paper>
  )
}

/** Empty lists are not worth a line. */
const hasValue = ([, value]: [string, unknown]): boolean => !Array.isArray(value) || value.length > 0

interface ValueProps {
  name: string
  value: unknown
  highlights: Highlights
}

const Value = ({ name, value, highlights }: ValueProps) => {
  const snippets = highlights[name]
  if (snippets)
    return (
      <>
        {snippets.map(snippet => (
          <Text key={snippet} size="sm" component="p" m={0}>
            <Snippet html={snippet} />
          </Text>
        ))}
      </>
    )
  const values = Array.isArray(value) ? value : [value]
  return <Text size="sm">{values.map(inWords).join(' · ')}</Text>
}

const inWords = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)
