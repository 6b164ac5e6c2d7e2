import type { Generation } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import { documentMediaType, isGzip } from '#api/documents.ts'
import { t } from '#i18n/translate.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { formatCount } from '#ui/format-count.ts'
import { countDocuments, type DocumentCount } from './count-documents.ts'
import { GenerationSwitch } from './generation-switch.tsx'

interface ConfirmReplaceProps {
  file: File
  collection: string
  generations: readonly Generation[] | undefined
  onClose: () => void
  onConfirm: () => void
}

/** Asks before a file replaces all documents of a collection, and shows the number of documents in the file. */
export const ConfirmReplace = ({
  file,
  collection,
  generations,
  onClose,
  onConfirm,
}: ConfirmReplaceProps) => {
  const isCountable = !isGzip(file.name)
  const { data, error } = useQuery({
    queryKey: ['countDocuments', file.name, file.size, file.lastModified],
    queryFn: () => countDocuments(file, documentMediaType(file.name) ?? ''),
    enabled: isCountable,
    gcTime: 0,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      question={`Replace all documents of ${collection}?`}
      label="Replace all documents"
      onConfirm={onConfirm}
      isWaiting={isCountable && !data}
    >
      {error && <ErrorNote error={error} />}
      <GenerationSwitch
        collection={collection}
        generations={generations}
        next={{
          documents: isCountable
            ? `${describeCount(data)} of ${file.name}`
            : t('documents of {file}', { file: file.name }),
        }}
        moment="once the import is complete"
      />
    </ConfirmDialog>
  )
}

const describeCount = (count: DocumentCount | undefined): string => {
  if (!count) return 'documents (counting…)'
  return `${count.isEstimate ? 'about ' : ''}${formatCount(count.documents, 'document')}`
}
