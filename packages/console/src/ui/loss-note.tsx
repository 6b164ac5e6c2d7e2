/** Says which documents an applied state of the workspace file deletes, and which collections it brings back without theirs. */
import { Alert } from '@mantine/core'
import { joinNames, t, tCount } from '#i18n/translate.ts'
import type { DocumentLoss } from './document-loss.ts'

export const LossNote = ({ loss: { deleted, documents, empty } }: { loss: DocumentLoss }) => (
  <>
    {deleted.length > 0 && (
      <Alert color="red" variant="light" title={describeDeletion(deleted, documents)}>
        {t('Restoring another state does not bring them back.')}
      </Alert>
    )}
    {empty.length > 0 && (
      <Alert color="yellow" variant="light" title={describeEmpty(empty)}>
        {t('The workspace file has no documents. Import them again afterwards.')}
      </Alert>
    )}
  </>
)

const describeDeletion = (deleted: readonly string[], documents: number | null): string => {
  const collections = joinNames(deleted)
  return documents === null
    ? t('This permanently deletes all documents of {collections}', { collections })
    : tCount(
        documents,
        'This permanently deletes {count} document of {collections}',
        'This permanently deletes {count} documents of {collections}',
        { collections },
      )
}

const describeEmpty = (empty: readonly string[]): string =>
  tCount(
    empty.length,
    'The collection {collections} comes back empty',
    'The collections {collections} come back empty',
    { collections: joinNames(empty) },
  )
