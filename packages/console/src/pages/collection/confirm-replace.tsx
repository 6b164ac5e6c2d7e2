import type { Generation } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import { isGzip } from '#api/documents.ts'
import { t, tCount } from '#i18n/translate.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { countDocuments, type DocumentCount } from './count-documents.ts'
import { detectMediaType } from './detect-media-type.ts'
import { GenerationSwitch } from './generation-switch.tsx'

interface ConfirmReplaceProps {
  file: File
  collection: string
  generations: readonly Generation[] | undefined
  /** Whether one bad document rejects the whole file. */
  isStrict: boolean
  onClose: () => void
  onConfirm: () => void
}

/** Asks before a file replaces all documents of a collection, and shows the number of documents in the file. */
export const ConfirmReplace = ({
  file,
  collection,
  generations,
  isStrict,
  onClose,
  onConfirm,
}: ConfirmReplaceProps) => {
  const isCountable = !isGzip(file.name)
  const { data, error } = useQuery({
    queryKey: ['countDocuments', file.name, file.size, file.lastModified],
    queryFn: async () => countDocuments(file, await detectMediaType(file)),
    enabled: isCountable,
    gcTime: 0,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      question={t('Replace all documents of {collection}?', { collection })}
      label={t('Replace all documents')}
      onConfirm={onConfirm}
      isWaiting={isCountable && !data}
    >
      {error && <ErrorNote error={error} />}
      <GenerationSwitch
        collection={collection}
        generations={generations}
        next={{
          documents: isCountable
            ? describeWhole(
                describeCount(data),
                file.name,
                isStrict || data?.isEstimate !== false || data.documents === 0,
              )
            : t('documents of {file}', { file: file.name }),
        }}
        moment={t('once the import is complete')}
      />
    </ConfirmDialog>
  )
}

/** The import may reject documents of the file, unless `isExact`. */
const describeWhole = (documents: string, file: string, isExact: boolean): string =>
  isExact
    ? t('{documents} of {file}', { documents, file })
    : t('up to {documents} of {file}', { documents, file })

const describeCount = (count: DocumentCount | undefined): string => {
  if (!count) return t('documents (counting…)')
  return count.isEstimate
    ? tCount(count.documents, 'about {count} document', 'about {count} documents')
    : tCount(count.documents, '{count} document', '{count} documents')
}
