/** Texts about a document that the form of a rule names by id. */
import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { t } from '#i18n/translate.ts'
import { useStoredDocument } from '#ui/document-name.tsx'
import { readHeading } from '#ui/heading.ts'

interface RuleDocument {
  workspace: string
  api: string
  endpoint: string
  /** Id or URI. It may still be typed. */
  id: string
}

/** Nobody wants to know about half an id. */
const pauseMs = 400

/** Shows the title of a document whose id is typed, or warns that no document has it. A rule may have it all the same, because documents may come later. */
export const DocumentNote = ({ id, ...place }: RuleDocument) => {
  const [typed] = useDebouncedValue(id, pauseMs)
  const { title, isMissing } = useTitle({ ...place, id: typed })
  if (typed !== id || (title === undefined && !isMissing)) return null
  return (
    <Text size="xs" c={isMissing ? 'var(--mantine-color-yellow-light-color)' : 'dimmed'} role="status">
      {isMissing
        ? t('No document has the id {id} yet. The rule takes effect when one comes.', { id })
        : `${id}: ${title}`}
    </Text>
  )
}

/** The title of a document with its id, or the id alone, with a warning if no document has it. */
export const DocumentTitle = (document: RuleDocument) => {
  const { title, isMissing } = useTitle(document)
  return (
    <>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {title ?? document.id}
        {title !== undefined && (
          <Text span size="xs" c="dimmed">
            {' '}
            {document.id}
          </Text>
        )}
      </Text>
      {isMissing && <DocumentNote {...document} />}
    </>
  )
}

/** `title`: undefined while it is not known, and for a document that has none. */
const useTitle = (document: RuleDocument) => {
  const { shortId, stored } = useStoredDocument(document)
  const heading = stored ? readHeading({ id: shortId, attributes: stored.document }).text : shortId
  return { title: heading === shortId ? undefined : heading, isMissing: stored === null }
}
