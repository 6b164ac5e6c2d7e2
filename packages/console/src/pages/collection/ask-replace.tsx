import type { Generation } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import { documentsType } from '#api/documents.ts'
import { Question } from '#ui/confirm-dialog.tsx'
import { counted } from '#ui/count.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { countDocuments, type DocumentCount } from './count-documents.ts'
import { Exchange } from './generation-switch.tsx'

interface AskReplaceProps {
  file: File
  collection: string
  generations: readonly Generation[] | undefined
  onClose: () => void
  onConfirm: () => void
}

/** Asks before a file replaces all documents of a collection, with how many it holds. */
export const AskReplace = ({ file, collection, generations, onClose, onConfirm }: AskReplaceProps) => {
  const { data, error } = useQuery({
    queryKey: ['countDocuments', file.name, file.size, file.lastModified],
    queryFn: () => countDocuments(file, documentsType(file.name) ?? ''),
    gcTime: 0,
  })
  return (
    <Question
      isOpen
      onClose={onClose}
      question={`Replace all documents of ${collection}?`}
      label="Replace all documents"
      onConfirm={onConfirm}
      isWaiting={!data}
    >
      {error && <ErrorNote error={error} />}
      <Exchange
        collection={collection}
        generations={generations}
        next={{ documents: `${inWords(data)} of ${file.name}` }}
        when="once the import is complete"
      />
    </Question>
  )
}

const inWords = (count: DocumentCount | undefined): string => {
  if (!count) return 'the documents (being counted)'
  return `${count.isEstimate ? 'about ' : ''}${counted(count.documents, 'document')}`
}
