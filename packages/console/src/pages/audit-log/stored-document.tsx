/** A document of an entry by its title, with a link to it; by its id if it is deleted. */
import { useQuery } from '@tanstack/react-query'
import { readDocument } from '#api/documents.ts'
import { DocumentLink } from '#ui/document-name.tsx'

interface StoredDocumentProps {
  workspace: string
  collection: string
  id: string
}

export const StoredDocument = ({ workspace, collection, id }: StoredDocumentProps) => {
  const { data: stored } = useQuery({
    queryKey: ['document', workspace, collection, id],
    queryFn: () => readDocument(workspace, collection, id),
    retry: false,
  })
  if (!stored) return id
  return (
    <DocumentLink
      workspace={workspace}
      collection={collection}
      id={id}
      attributes={stored.document}
      title={id}
    />
  )
}
