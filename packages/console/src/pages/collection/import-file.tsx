import '@mantine/dropzone/styles.css'
import { Alert, Button, Checkbox, Group, List, Paper, Progress, Stack, Text, Title } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { IconFileUpload } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { documentsType, type ImportOptions, importFile } from '#api/documents.ts'
import { counted } from '#ui/count.ts'
import { ErrorNote } from '#ui/error-note.tsx'

interface ImportFileProps {
  workspace: string
  collection: string
}

/** A place to drop a file of documents, how far it is, and what came of it. */
export const ImportFile = ({ workspace, collection }: ImportFileProps) => {
  const [options, setOptions] = useState<ImportOptions>({ replace: false, stage: false, strict: false })
  const [part, setPart] = useState(0)
  const [controller, setController] = useState<AbortController>()
  const [refused, setRefused] = useState<string>()
  const cache = useQueryClient()
  const upload = useMutation({
    mutationFn: ({ file, signal }: { file: File; signal: AbortSignal }) =>
      importFile({ workspace, collection }, file, options, setPart, signal),
    onSettled: () => cache.invalidateQueries(),
  })
  const start = (files: File[]) => {
    const [file] = files
    if (!file) return
    setRefused(
      documentsType(file.name)
        ? undefined
        : `${file.name}: a file of documents ends in .ndjson, .jsonl, .json or .csv`,
    )
    if (!documentsType(file.name)) return
    const next = new AbortController()
    setController(next)
    setPart(0)
    upload.mutate({ file, signal: next.signal })
  }
  const isCancelled = upload.error instanceof DOMException && upload.error.name === 'AbortError'
  const option = (name: keyof ImportOptions) => ({
    checked: options[name],
    disabled: upload.isPending,
    onChange: (event: { currentTarget: HTMLInputElement }) =>
      setOptions({ ...options, [name]: event.currentTarget.checked }),
  })
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Import
      </Title>
      <Dropzone
        onDrop={start}
        multiple={false}
        disabled={upload.isPending}
        inputProps={{ 'aria-label': 'File of documents' }}
        aria-label="Drop a file of documents, or choose one"
      >
        <Group justify="center" gap="md" mih={90} wrap="nowrap">
          <IconFileUpload size={36} stroke={1.5} />
          <Stack gap={0}>
            <Text fw={600}>Drop a file here, or choose one</Text>
            <Text size="sm" c="dimmed">
              NDJSON, JSON or CSV, of any length. A document with an id that is there replaces it.
            </Text>
          </Stack>
        </Group>
      </Dropzone>
      <Group gap="lg">
        <Checkbox label="Replace the whole collection" {...option('replace')} />
        {options.replace && <Checkbox label="Do not promote it yet" {...option('stage')} />}
        <Checkbox label="Keep nothing if a line is bad" {...option('strict')} />
      </Group>
      {refused !== undefined && (
        <Alert color="red" role="alert">
          {refused}
        </Alert>
      )}
      {upload.isPending && (
        <Paper withBorder p="md">
          <Stack gap="xs">
            <Progress value={part * 100} animated={part === 1} aria-label="Sent" />
            <Group justify="space-between">
              <Text size="sm" role="status">
                {part < 1 ? `${Math.floor(part * 100)} % sent` : 'Sent; being made searchable'}
              </Text>
              <Button size="compact-sm" variant="default" onClick={() => controller?.abort()}>
                Cancel
              </Button>
            </Group>
          </Stack>
        </Paper>
      )}
      {isCancelled && (
        <Alert role="status">
          Cancelled. What was taken before stays, unless it was to replace the collection. The server may
          still take what had reached it: load the page again to see.
        </Alert>
      )}
      {upload.error && !isCancelled && <ErrorNote error={upload.error} />}
      {upload.data && (
        <Alert color={upload.data.rejected > 0 ? 'yellow' : 'green'} role="status">
          <Text size="sm">
            {counted(upload.data.accepted, 'document')} accepted
            {upload.data.rejected > 0 && `, ${counted(upload.data.rejected, 'line')} refused`}.
          </Text>
          {upload.data.errors.length > 0 && (
            <List size="sm" mt="xs">
              {upload.data.errors.map(({ line, message }) => (
                <List.Item key={`${line} ${message}`}>
                  line {line}: {message}
                </List.Item>
              ))}
            </List>
          )}
        </Alert>
      )}
    </Stack>
  )
}
