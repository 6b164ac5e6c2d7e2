import { NativeSelect, Stack } from '@mantine/core'
import type { ProposedRows } from '@querent/contract/proposal'
import { useMutation } from '@tanstack/react-query'
import { t } from '#i18n/translate.ts'
import { proposeFor } from '#pages/collection/propose-for.ts'
import type { ProposedFile } from '#pages/collection/proposed-file.ts'
import { ErrorNote } from '#ui/error-note.tsx'

interface ListChoiceProps {
  workspace: string
  file: File
  rows: ProposedRows
  onProposed: (proposed: ProposedFile) => void
}

/** Says which list of a JSON file has the documents, and asks for a proposal for another one. */
export const ListChoice = ({ workspace, file, rows: { path, others }, onProposed }: ListChoiceProps) => {
  const propose = useMutation({
    mutationFn: (rows: string) => proposeFor(workspace, file, rows),
    onSuccess: onProposed,
  })
  return (
    <Stack gap="xs">
      <NativeSelect
        label={t('List of documents')}
        description={t('The other lists of the file are left out')}
        data={[path, ...others]}
        value={propose.isPending ? propose.variables : path}
        disabled={propose.isPending}
        maw={360}
        onChange={event => propose.mutate(event.currentTarget.value)}
      />
      {propose.error && <ErrorNote error={propose.error} />}
    </Stack>
  )
}
