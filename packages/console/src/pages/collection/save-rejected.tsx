import { Button } from '@mantine/core'
import type { ErrorPlace } from '@querent/contract/errors'
import { useMutation } from '@tanstack/react-query'
import { t } from '#i18n/translate.ts'
import { saveFile } from '#ui/save-file.ts'

interface SaveRejectedProps {
  file: File
  errors: readonly ErrorPlace[]
}

/** Saves the rejected lines of a file with their reasons, as CSV. */
export const SaveRejected = ({ file, errors }: SaveRejectedProps) => {
  const saving = useMutation({
    mutationFn: async () => {
      const { writeRejected } = await import('./write-rejected.ts')
      saveFile(`${file.name}-rejected.csv`, 'text/csv', await writeRejected(file, errors))
    },
  })
  return (
    <Button size="xs" variant="default" mt="sm" loading={saving.isPending} onClick={() => saving.mutate()}>
      {t('Save the rejected lines')}
    </Button>
  )
}
