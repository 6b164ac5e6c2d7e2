import '@mantine/dropzone/styles.css'
import { Alert, Checkbox, Group, Stack, Text, Title } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import type { Generation } from '@querent/contract/manage'
import { IconFileUpload } from '@tabler/icons-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { documentMediaType, type ImportOptions } from '#api/documents.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { ImportOutcome } from './import-outcome.tsx'
import { ImportProgress } from './import-progress.tsx'
import type { useImport } from './use-import.ts'

const ConfirmReplace = lazy(async () => ({ default: (await import('./confirm-replace.tsx')).ConfirmReplace }))

interface ImportFileProps {
  workspace: string
  collection: string
  /** Field that holds the id of a document. */
  idField: string
  /** Undefined: the person may not see them. */
  generations: readonly Generation[] | undefined
  upload: ReturnType<typeof useImport>
}

/** Imports a file of documents, and shows the progress and the result. */
export const ImportFile = ({ workspace, collection, idField, generations, upload }: ImportFileProps) => {
  const [options, setOptions] = useState<ImportOptions>({ replace: false, stage: false, strict: false })
  const [rejection, setRejection] = useState<string>()
  /** File that replaces all documents after confirmation. */
  const [pendingFile, setPendingFile] = useState<File>()
  const { underway, outcome, error, start, cancel, clear } = upload
  /** The next file adds to the collection again, unless the person chooses otherwise. */
  const resetOptions = () => setOptions(({ strict }) => ({ replace: false, stage: false, strict }))
  const zone = useRef<HTMLDivElement>(null)
  const take = (files: File[]) => {
    const [file] = files
    if (!file) return
    // Without this, choosing the same file again fires no event.
    const input = zone.current?.querySelector('input')
    if (input) input.value = ''
    clear()
    const isDocuments = documentMediaType(file.name) !== undefined
    setRejection(
      isDocuments ? undefined : `${file.name}: choose a file that ends in .ndjson, .jsonl, .json or .csv`,
    )
    if (!isDocuments) return
    if (options.replace && !options.stage) setPendingFile(file)
    else start(file, options, resetOptions)
  }
  const option = (name: keyof ImportOptions) => ({
    checked: options[name],
    disabled: underway !== undefined,
    onChange: (event: { currentTarget: HTMLInputElement }) =>
      setOptions({ ...options, [name]: event.currentTarget.checked }),
  })
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Import
      </Title>
      <Dropzone
        ref={zone}
        onDrop={take}
        multiple={false}
        disabled={underway !== undefined}
        inputProps={{ 'aria-label': 'File of documents' }}
        aria-label="Drop a file of documents, or choose one"
      >
        <Group justify="center" gap="md" mih={90} wrap="nowrap">
          <IconFileUpload size={36} stroke={1.5} style={{ flexShrink: 0 }} />
          <Stack gap={0}>
            <Text fw={600}>Drop a file here, or choose one</Text>
            <Text size="sm" c="dimmed">
              NDJSON, JSON or CSV, of any size. A document replaces the one with the same {idField}.
            </Text>
          </Stack>
        </Group>
      </Dropzone>
      <Group gap="lg">
        <Checkbox label="Replace the whole collection" {...option('replace')} />
        {options.replace && <Checkbox label="Stage only" {...option('stage')} />}
        <Checkbox label="All or nothing" {...option('strict')} />
      </Group>
      {rejection !== undefined && (
        <Alert color="red" role="alert">
          {rejection}
        </Alert>
      )}
      {underway && <ImportProgress underway={underway} onCancel={cancel} />}
      {error && <ErrorNote error={error} />}
      {outcome && <ImportOutcome workspace={workspace} collection={collection} outcome={outcome} />}
      <Suspense>
        {pendingFile && (
          <ConfirmReplace
            file={pendingFile}
            collection={collection}
            generations={generations}
            onClose={() => setPendingFile(undefined)}
            onConfirm={() => start(pendingFile, options, resetOptions)}
          />
        )}
      </Suspense>
    </Stack>
  )
}
