/** A document by its title, with a link to it. */
import { Text } from '@mantine/core'
import { documentIds } from '@querent/contract/document-id'
import type { Api } from '@querent/contract/workspace-file'
import { useQuery } from '@tanstack/react-query'
import { readDocument, type StoredDocument } from '#api/documents.ts'
import { readWorkspaceFile } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { readHeading } from './heading.ts'
import { TextLink } from './links.tsx'

interface DocumentNameProps {
  workspace: string
  api: string
  /** Endpoint whose collection has the document. */
  endpoint: string
  /** Id or URI. */
  id: string
  /** Shows the id behind the title, where the workspace file names it. */
  withId?: boolean
}

/** Shows the id until the title is read, and if nobody may read it. Says so if no document has it. */
export const DocumentName = (place: DocumentNameProps) => {
  const { collection, shortId, stored } = useStoredDocument(place)
  if (stored === null) return t('{id} (no document)', { id: place.id })
  if (!stored || collection === undefined) return place.id
  const isNamed = readHeading({ id: shortId, attributes: stored.document }).text !== shortId
  return (
    <>
      <DocumentLink
        workspace={place.workspace}
        collection={collection}
        id={shortId}
        attributes={stored.document}
        title={place.id}
      />
      {place.withId && isNamed && (
        <Text span inherit c="dimmed">
          {' '}
          ({shortId})
        </Text>
      )}
    </>
  )
}

interface DocumentLinkProps {
  workspace: string
  collection: string
  id: string
  attributes: StoredDocument
  /** Shown when the pointer rests on it. */
  title: string
}

/** The heading of a document, as a link to it. */
export const DocumentLink = ({ workspace, collection, id, attributes, title }: DocumentLinkProps) => (
  <TextLink
    to="/w/$workspace/data/$collection"
    params={{ workspace, collection }}
    search={{ document: id }}
    title={title}
  >
    {readHeading({ id, attributes }).text}
  </TextLink>
)

/** Reads a document of the collection that an endpoint searches. `stored`: `null` if the person finds none, undefined if that is not known or while it `isLoading`. */
export const useStoredDocument = ({ workspace, api, endpoint, id }: Omit<DocumentNameProps, 'withId'>) => {
  const { data } = useQuery(readWorkspaceFile(workspace))
  const collection = findCollection(data?.file.apis?.[api]?.endpoints ?? {}, endpoint)
  const definition = collection === undefined ? undefined : data?.file.collections?.[collection]
  const shortId =
    collection === undefined || !definition ? id : documentIds(workspace, collection, definition).toId(id)
  const { data: stored, isLoading } = useQuery({
    queryKey: ['document', workspace, collection ?? '', shortId],
    queryFn: () => readDocument(workspace, collection ?? '', shortId),
    enabled: definition !== undefined && id !== '',
    retry: false,
  })
  return { collection, shortId, stored, isLoading }
}

/** Returns the collection of an endpoint; that of its first part for a mix. */
const findCollection = (endpoints: NonNullable<Api['endpoints']>, name: string): string | undefined => {
  const endpoint = endpoints[name]
  if (endpoint?.kind !== 'mix') return endpoint && 'collection' in endpoint ? endpoint.collection : undefined
  const [part] = Object.keys(endpoint.of)
  // A mix has no mix as its part.
  return part === undefined || endpoints[part]?.kind === 'mix' ? undefined : findCollection(endpoints, part)
}
