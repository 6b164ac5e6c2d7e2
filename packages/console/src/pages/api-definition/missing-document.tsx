import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { t } from '#i18n/translate.ts'
import { useStoredDocument } from '#ui/document-name.tsx'

interface MissingDocumentProps {
  workspace: string
  api: string
  endpoint: string
  /** Id or URI. It may still be typed. */
  id: string
}

/** Nobody wants to know about half an id. */
const pauseMs = 400

/** Warns about an id that no document has. A rule may have it all the same, because documents may come later. */
export const MissingDocument = ({ id, ...place }: MissingDocumentProps) => {
  const [typed] = useDebouncedValue(id, pauseMs)
  const { stored } = useStoredDocument({ ...place, id: typed })
  if (stored !== null || typed !== id) return null
  return (
    <Text size="xs" c="var(--mantine-color-yellow-light-color)" role="status">
      {t('No document has the id {id} yet. The rule takes effect when one comes.', { id })}
    </Text>
  )
}
