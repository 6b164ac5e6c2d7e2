import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { t } from '#i18n/translate.ts'
import { saveFile } from '#ui/save-file.ts'
import type { PlaceRange } from './rejected-places.ts'

interface SaveRejectedProps {
  file: File
  /** Where the rejected documents are, in order. */
  places: readonly PlaceRange[]
}

/** Saves the rejected documents of a file, so that a person can correct and import them. */
export const SaveRejected = ({ file, places }: SaveRejectedProps) => {
  const saving = useMutation({
    mutationFn: async () => {
      const { writeRejected } = await import('./write-rejected.ts')
      const { name, type, text } = await writeRejected(file, places)
      saveFile(name, type, text)
    },
  })
  return (
    <Button size="xs" variant="default" mt="sm" loading={saving.isPending} onClick={() => saving.mutate()}>
      {t('Save the rejected documents, to correct and import them')}
    </Button>
  )
}
