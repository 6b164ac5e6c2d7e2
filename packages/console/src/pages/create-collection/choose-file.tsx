import { Alert, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { documentFormat } from '#api/documents.ts'
import { management } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { FileDrop } from '#ui/file-drop.tsx'
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
      <FileDrop onDrop={([file]) => file && propose.mutate(file)} isLoading={propose.isPending} height={140}>
        {t('CSV with a header line, NDJSON or JSON. Each document needs an id of its own.')}
      </FileDrop>
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
      t('{name}: choose a file that ends in .csv, .tsv, .ndjson, .jsonl or .json', { name: file.name }),
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
