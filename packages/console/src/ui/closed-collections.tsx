import { Text } from '@mantine/core'
import type { CollectionSummary } from '@querent/contract/manage'
import { joinNames, tCount } from '#i18n/translate.ts'

interface ClosedCollectionsProps {
  collections: readonly CollectionSummary[]
  /** The fields of the row filter. */
  fields: readonly string[]
}

/** Names the collections of which the filter shows nothing, because they have no such field. */
export const ClosedCollections = ({ collections, fields }: ClosedCollectionsProps) => {
  const closed = collections.flatMap(({ title, fields: ownFields }) => {
    const missingField = fields.find(
      name => name !== '' && name !== 'id' && !ownFields.some(field => field.name === name),
    )
    return missingField === undefined ? [] : [{ title, missingField }]
  })
  const byField = Map.groupBy(closed, ({ missingField }) => missingField)
  return [...byField].map(([missingField, places]) => (
    <Text key={missingField} size="sm">
      {tCount(
        places.length,
        'Nothing of {collections} is shown: it has no field {field}.',
        'Nothing of {collections} is shown: they have no field {field}.',
        {
          collections: joinNames(places.map(({ title }) => title)),
          field: readTitle(collections, missingField),
        },
      )}
    </Text>
  ))
}

/** Returns the title that another collection gives a field, or its name. */
const readTitle = (collections: readonly CollectionSummary[], name: string): string =>
  collections.flatMap(({ fields }) => fields).find(field => field.name === name)?.title ?? name
