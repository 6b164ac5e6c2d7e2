/** Says what a deletion of a workspace takes with it. */
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { joinNames, t, tCount } from '#i18n/translate.ts'

interface Contents {
  /** Null: not counted. */
  documents: number | null
  collections: number
  apis?: number | undefined
  people?: number | undefined
}

/** The warning of the dialog. `contents`: undefined while they are not known. */
export const DeletedContents = ({ contents }: { contents: Contents | undefined }) => (
  <>
    {t(
      'This permanently deletes all documents. Applications that use the workspace lose access immediately.',
    )}
    <Text mt="xs" role="status">
      {contents && t('It has {contents}.', { contents: joinNames(listContents(contents)) })}
    </Text>
  </>
)

const listContents = ({ documents, collections, apis, people }: Contents): string[] => [
  documents === null
    ? t('documents not counted')
    : tCount(documents, '{count} document', '{count} documents'),
  tCount(collections, '{count} collection', '{count} collections'),
  ...(apis === undefined ? [] : [tCount(apis, '{count} API', '{count} APIs')]),
  ...(people === undefined ? [] : [tCount(people, '{count} member', '{count} members')]),
]

/** The warning for a workspace whose contents are not on the page. */
export const DeletedWorkspace = ({ workspace }: { workspace: string }) => {
  const { data: collections } = useQuery(readOperation('listCollections', { params: { workspace } }))
  const { data: apis } = useQuery(readOperation('listApis', { params: { workspace } }))
  const counts = collections?.items.map(({ documents }) => documents)
  return (
    <DeletedContents
      contents={
        counts &&
        apis && {
          documents: counts.includes(null)
            ? null
            : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
          collections: counts.length,
          apis: apis.items.length,
        }
      }
    />
  )
}
