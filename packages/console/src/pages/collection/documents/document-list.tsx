import { Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import { useCollection } from '#pages/collection/collection-context.ts'
import { readHeading } from '#ui/heading.ts'
import { readShownValue } from './document-path.ts'
import type { DocumentViewProps } from './document-table.tsx'
import { formatValue } from './format-value.ts'
import { SelectDocument } from './select-document.tsx'

/** A short card for each document: its heading, and the values of the chosen fields. */
export const DocumentList = ({ columns, documents, selection, onOpen }: DocumentViewProps) => {
  const { fields } = useCollection().summary
  const title = (name: string) => fields.find(field => field.name === name)?.title ?? name
  return (
    <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {documents.map(({ id, document }) => {
        const { field, text } = readHeading({ id, attributes: document })
        const values = columns.flatMap(name => {
          const value = name === field ? '' : formatValue(readShownValue(document, fields, name))
          return value === '' ? [] : [{ name, value }]
        })
        return (
          <Paper key={id} component="li" withBorder p="sm">
            <Group wrap="nowrap" align="flex-start" gap="sm">
              <SelectDocument id={id} selection={selection} />
              <Stack gap={2} miw={0}>
                <Anchor component="button" fw={600} ta="start" onClick={() => onOpen(id)}>
                  {text}
                </Anchor>
                <Text size="sm" lineClamp={2}>
                  {values.map(({ name, value }, index) => (
                    <span key={name}>
                      {index > 0 && ' · '}
                      <Text span inherit c="dimmed">
                        {title(name)}
                      </Text>{' '}
                      {value}
                    </span>
                  ))}
                </Text>
                {text !== id && (
                  <Text size="xs" c="dimmed">
                    {id}
                  </Text>
                )}
              </Stack>
            </Group>
          </Paper>
        )
      })}
    </Stack>
  )
}
