import { Alert, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { t } from '#i18n/translate.ts'
import { proposeFor } from '#pages/collection/propose-for.ts'
import type { ProposedFile } from '#pages/collection/proposed-file.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { FileDrop } from '#ui/file-drop.tsx'

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
