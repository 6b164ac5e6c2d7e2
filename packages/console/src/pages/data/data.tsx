/** The collections of a workspace. */

import { Badge, Text } from '@mantine/core'
import type { CollectionSummary } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { language, t, tNodes } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { Empty } from '#ui/empty.tsx'
import { ButtonLink, TextLink } from '#ui/links.tsx'
import { Page } from '#ui/page.tsx'

export const Data = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/data' })
  const { may } = useWorkspaceAccess(workspace)
  const { data } = useSuspenseQuery(readOperation('listCollections', { params: { workspace } }))
  return (
    <Page
      title={t('Data')}
      description={t('Collections hold the documents that APIs search.')}
      action={
        may('edit') && (
          <ButtonLink to="/w/$workspace/create-collection" params={{ workspace }}>
            {t('Create a collection')}
          </ButtonLink>
        )
      }
    >
      {data.items.length === 0 ? (
        <Empty title={t('No collections yet')}>
          {may('edit')
            ? tNodes('Create one from a file of documents, or describe it in the {link}.', {
                link: (
                  <TextLink to="/w/$workspace/settings/workspace-file" params={{ workspace }}>
                    {t('workspace file')}
                  </TextLink>
                ),
              })
            : t('An administrator can add a collection in the workspace file.')}
        </Empty>
      ) : (
        <DataTable
          caption={t('Collections')}
          rows={data.items}
          rowKey={({ collection }) => collection}
          columns={[
            {
              heading: t('Collection'),
              cell: ({ collection, title, documents }) => (
                <>
                  <TextLink
                    // An empty collection needs documents first.
                    to={`/w/$workspace/data/$collection${documents === 0 ? '/import' : ''}`}
                    params={{ workspace, collection }}
                  >
                    {title}
                  </TextLink>
                  <Text size="xs" c="dimmed" ff="monospace">
                    {collection}
                  </Text>
                </>
              ),
            },
            {
              heading: t('Documents'),
              cell: ({ documents, down }) => (
                <>
                  {documents?.toLocaleString(language) ?? t('hidden')}
                  {down !== undefined && (
                    <Badge color="red" ml="xs">
                      {t('down')}
                    </Badge>
                  )}
                </>
              ),
            },
            {
              heading: t('Fields'),
              cell: ({ fields }) => describeFields(fields),
            },
          ]}
        />
      )}
    </Page>
  )
}

const fieldsShown = 6

/** The titles of the first fields, and how many others there are. The page of the collection has all of them. */
const describeFields = (fields: CollectionSummary['fields']): string => {
  const names = fields.flatMap(({ name, title = name, source }) => (source === undefined ? [title] : []))
  // One more takes no more place than its number.
  if (names.length <= fieldsShown + 1) return names.join(', ')
  const rest = t('and {count} more', { count: names.length - fieldsShown })
  return `${names.slice(0, fieldsShown).join(', ')} ${rest}`
}
