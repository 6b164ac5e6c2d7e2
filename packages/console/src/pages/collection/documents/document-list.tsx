import { Anchor, Paper, Stack, Text } from '@mantine/core'
import { useCollection } from '#pages/collection/collection-context.ts'
import { readHeading } from '#ui/heading.ts'
import type { DocumentViewProps } from './document-table.tsx'
import { formatValue } from './format-value.ts'

/** Fields of a document below its heading. */
const fieldsShown = 4

/** A block for each document, with its heading and the beginning of its fields. */
export const DocumentList = ({ documents, onOpen }: DocumentViewProps) => {
  const { idField, fields } = useCollection().summary
  const title = (name: string) => fields.find(field => field.name === name)?.title ?? name
  return (
    <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {documents.map(({ id, document }) => {
        const { [idField]: _, ...attributes } = document
        const { field, text } = readHeading({ id, attributes })
        const otherFields = Object.entries(attributes).filter(([name]) => name !== field)
        return (
          <Paper key={id} component="li" withBorder p="sm">
            <Anchor component="button" fw={600} ta="start" onClick={() => onOpen(id)}>
              {text}
            </Anchor>
            {field !== undefined && (
              <Text ff="monospace" size="xs" c="dimmed">
                {id}
              </Text>
            )}
            {otherFields.slice(0, fieldsShown).map(([name, value]) => (
              <Text key={name} size="sm" lineClamp={2}>
                <Text span inherit c="dimmed">
                  {title(name)}:
                </Text>{' '}
                {formatValue(value)}
              </Text>
            ))}
          </Paper>
        )
      })}
    </Stack>
  )
}
