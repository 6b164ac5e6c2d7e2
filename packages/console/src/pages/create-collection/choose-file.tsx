import { Alert, Stack } from '@mantine/core'
import { detectFormat } from '@querent/contract/document-format'
import {
  decodeSample,
  type FileSample,
  objectBeginningBytes,
  sampleBeginningBytes,
  sampleFile,
  sampleStream,
} from '@querent/contract/file-sample'
import { useMutation } from '@tanstack/react-query'
import { isGzip } from '#api/documents.ts'
import { management } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { describeRefusal } from '#pages/collection/describe-refusal.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { FileDrop } from '#ui/file-drop.tsx'
import type { ProposedFile } from './proposed-file.ts'

interface ChooseFileProps {
  workspace: string
  onProposed: (proposed: ProposedFile) => void
}

/** Sends a sample of a file to the server, which proposes a collection for it. */
export const ChooseFile = ({ workspace, onProposed }: ChooseFileProps) => {
  const propose = useMutation({
    mutationFn: (file: File) => proposeFor(workspace, file),
    onSuccess: onProposed,
  })
  return (
    <Stack gap="sm">
      <FileDrop onDrop={([file]) => file && propose.mutate(file)} isLoading={propose.isPending} height={140}>
        {t('CSV and other tables of text, NDJSON, JSON or GeoJSON, also as .gz.')}
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

const proposeFor = async (workspace: string, file: File): Promise<ProposedFile> => {
  const refusal = await describeRefusal(file)
  if (refusal !== undefined) throw new Error(refusal)
  const sample = await readSample(file)
  const decoded = decodeSample(sample)
  const detected = detectFormat(file.name, decoded.text)
  const format = detected === 'tsv' ? 'csv' : detected
  const name = file.name.replace(/\.[^.]*(\.gz)?$/i, '') || file.name
  const proposal = await management.call('proposeCollection', {
    params: { workspace },
    input: { name, format, isCut: sample.isCut, ...decoded },
  })
  return { file, proposal, isTable: format === 'csv' }
}

const readSample = async (file: File): Promise<FileSample> => {
  const isJson = isGzip(file.name)
    ? /\.json\.gz$/i.test(file.name)
    : detectFormat(file.name, await file.slice(0, sampleBeginningBytes).text()) === 'json'
  const bytes = isJson ? objectBeginningBytes : undefined
  return isGzip(file.name)
    ? sampleStream(readChunks(file.stream().pipeThrough(new DecompressionStream('gzip'))), bytes)
    : sampleFile(file, bytes)
}

/** Not all browsers can iterate over a stream. */
async function* readChunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value
}
