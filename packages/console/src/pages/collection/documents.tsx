import { Accordion, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listDocuments } from '#api/documents.ts'
import { Empty } from '#ui/empty.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { readHeading } from '#ui/heading.ts'
import { Loading } from '#ui/loading.tsx'

interface DocumentsProps {
  workspace: string
  collection: string
  /** Field that holds the id of a document. */
  idField: string
  /** False if there are no documents yet, or the person has a row filter: then the server lists none. */
  isVisible: boolean
}

/** Lists the documents in pages, in the order of their ids, as they were imported. */
export const Documents = ({ workspace, collection, idField, isVisible }: DocumentsProps) => {
  /** Cursors of the visited pages; the last one is shown. */
  const [cursors, setCursors] = useState<(string | undefined)[]>([undefined])
  const { data, error } = useQuery({
    queryKey: ['documents', workspace, collection, cursors.at(-1)],
    queryFn: () => listDocuments(workspace, collection, cursors.at(-1)),
    enabled: isVisible,
  })
  return (
    <Stack gap="sm">
      {error && <ErrorNote error={error} />}
      {!isVisible && (
        <Empty title="No documents to show">
          There are no documents yet, or your row filter prevents this list. Use Try it, below APIs, to find
          the documents that you may see.
        </Empty>
      )}
      {isVisible && !data && !error && <Loading />}
      {data?.items.length === 0 && <Empty title="No documents yet">Import a file to add some.</Empty>}
      {data && data.items.length > 0 && (
        <>
          <Accordion variant="separated" multiple>
            {data.items.map(document => {
              const id = String(document[idField])
              return (
                <Accordion.Item key={id} value={id}>
                  <Accordion.Control>
                    <Name id={id} attributes={removeField(document, idField)} />
                  </Accordion.Control>
                  <Accordion.Panel>
                    <Code block>{JSON.stringify(document, undefined, 2)}</Code>
                  </Accordion.Panel>
                </Accordion.Item>
              )
            })}
          </Accordion>
          <Group>
            <Button
              variant="default"
              disabled={cursors.length === 1}
              onClick={() => setCursors(cursors.slice(0, -1))}
            >
              Previous
            </Button>
            <Button
              variant="default"
              disabled={data.next === null}
              onClick={() => data.next !== null && setCursors([...cursors, data.next])}
            >
              Next
            </Button>
          </Group>
        </>
      )}
    </Stack>
  )
}

/** Shows the heading of a document and its id. */
const Name = ({ id, attributes }: Parameters<typeof readHeading>[0]) => {
  const { field, text } = readHeading({ id, attributes })
  return (
    <>
      {field !== undefined && <Text fw={600}>{text}</Text>}
      <Text ff="monospace" size="sm">
        {id}
      </Text>
    </>
  )
}

const removeField = (document: Readonly<Record<string, unknown>>, field: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(document).filter(([name]) => name !== field))
