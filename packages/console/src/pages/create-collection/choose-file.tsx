import { t } from '#i18n/translate.ts'
import '@mantine/dropzone/styles.css'
import { Alert, Group, Stack, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { IconFileUpload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { documentFormat } from '#api/documents.ts'
import { management } from '#api/manage.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import type { ProposedFile } from './proposed-file.ts'

/** A proposal needs no more of a file. */
const sampleBytes = 512 * 1024

interface ChooseFileProps {
  workspace: string
  onProposed: (proposed: ProposedFile) => void
}

/** Sends the beginning of a file to the server, which proposes a collection for it. */
export const ChooseFile = ({ workspace, onProposed }: ChooseFileProps) => {
  const propose = useMutation({
    mutationFn: async (file: File) => ({ file, proposal: await proposeFor(workspace, file) }),
    onSuccess: onProposed,
  })
  return (
    <Stack gap="sm">
      <Dropzone
        onDrop={([file]) => file && propose.mutate(file)}
        multiple={false}
        loading={propose.isPending}
        inputProps={{ 'aria-label': t('File of documents') }}
        aria-label={t('Drop a file of documents, or choose one')}
      >
        <Group justify="center" gap="md" mih={140} wrap="nowrap">
          <IconFileUpload size={36} stroke={1.5} style={{ flexShrink: 0 }} />
          <Stack gap={0}>
            <Text fw={600}>{t('Drop a file here, or choose one')}</Text>
            <Text size="sm" c="dimmed">
              {t('CSV with a header line, NDJSON or JSON. Each document needs an id of its own.')}
            </Text>
          </Stack>
        </Group>
      </Dropzone>
      {propose.error && <ErrorNote error={propose.error} />}
      {propose.isPending && (
        <Alert color="querent" variant="light" role="status">
          {t('Reading the file')}
        </Alert>
      )}
    </Stack>
  )
}

const proposeFor = async (workspace: string, file: File) => {
  const format = documentFormat(file.name)
  if (format === undefined)
    throw new Error(
      t('{name}: choose a file that ends in .csv, .ndjson, .jsonl or .json', { name: file.name }),
    )
  const isCut = file.size > sampleBytes
  // A character at the cut may be incomplete: it belongs to the last record, which the server drops.
  const text = await file.slice(0, sampleBytes).text()
  const name = file.name.replace(/\.[^.]*$/, '') || file.name
  return management.call('proposeCollection', {
    params: { workspace },
    input: { name, format, text, isCut },
  })
}
