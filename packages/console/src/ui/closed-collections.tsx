import { Text } from '@mantine/core'
import type { CollectionSummary } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'

interface ClosedCollectionsProps {
  collections: readonly CollectionSummary[]
  /** The fields of the row filter. */
  fields: readonly string[]
}

/** Names the collections of which the filter shows nothing, because they have no such field. */
export const ClosedCollections = ({ collections, fields }: ClosedCollectionsProps) => {
  const closed = collections.flatMap(({ collection, title, fields: ownFields }) => {
    const missingField = fields.find(
      name => name !== '' && name !== 'id' && !ownFields.some(field => field.name === name),
    )
    return missingField === undefined ? [] : [{ collection, title, missingField }]
  })
  return closed.map(({ collection, title, missingField }) => (
    <Text key={collection} size="sm">
      {t('Nothing of {collection} is shown: it has no field {field}.', {
        collection: title,
        field: readTitle(collections, missingField),
      })}
    </Text>
  ))
}

/** Returns the title that another collection gives a field, or its name. */
const readTitle = (collections: readonly CollectionSummary[], name: string): string =>
  collections.flatMap(({ fields }) => fields).find(field => field.name === name)?.title ?? name
