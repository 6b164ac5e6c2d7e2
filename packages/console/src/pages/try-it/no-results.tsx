import { Anchor, Button, Group, Text } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { Empty } from '#ui/empty.tsx'
import { TextLink } from '#ui/links.tsx'
import { listFilters, replaceText, withoutFilters } from './filters.ts'

interface NoResultsProps {
  workspace: string
  description: ApiDescription
  stack: StackedEndpoint[]
  /** The closest text that finds something, if the service knows one. */
  didYouMean: string | null | undefined
  onChange: (stack: StackedEndpoint[]) => unknown
}

/** Replaces an empty result list: possible causes, and what to do next. */
export const NoResults = ({ workspace, description, stack, didYouMean, onChange }: NoResultsProps) => {
  const { may } = useWorkspaceAccess(workspace)
  const { data: collections, isPending } = useQuery({
    ...readOperation('listCollections', { params: { workspace } }),
    enabled: may('edit'),
  })
  if (may('edit') && isPending) return null
  if (collections?.items.every(({ documents }) => documents === 0))
    return (
      <Empty title={t('No documents yet')}>
        {tNodes('Import documents into {collections}.', {
          collections: collections.items.map(({ collection }, index) => (
            <Fragment key={collection}>
              {index > 0 && ', '}
              <TextLink to="/w/$workspace/data/$collection/import" params={{ workspace, collection }}>
                {collection}
              </TextLink>
            </Fragment>
          )),
        })}
      </Empty>
    )
  const hasFilters = listFilters(stack, description).length > 0
  const unfiltered = withoutFilters(stack, description)
  const suggestedStack = didYouMean ? replaceText(stack, description, didYouMean) : undefined
  return (
    <Empty title={t('No results')}>
      {suggestedStack && (
        <Text mb="xs">
          {tNodes('Did you mean {text}?', {
            text: (
              <Anchor component="button" fw={600} onClick={() => onChange(suggestedStack)}>
                {didYouMean}
              </Anchor>
            ),
          })}
        </Text>
      )}
      {hasFilters ? t('Try other words or fewer filters.') : t('Try other words.')}{' '}
      {t('Your row filter, if you have one, applies here too.')}
      <Group justify="center" mt="md">
        {hasFilters && unfiltered.length > 0 && (
          <Button onClick={() => onChange(unfiltered)}>{t('Search without filters')}</Button>
        )}
        <ShowAllButton description={description} onChange={onChange} />
      </Group>
    </Empty>
  )
}

interface NoSearchYetProps {
  workspace: string
  description: ApiDescription
  onChange: (stack: StackedEndpoint[]) => unknown
}

/** Shown before the first search. */
export const NoSearchYet = ({ workspace, description, onChange }: NoSearchYetProps) => {
  const { may } = useWorkspaceAccess(workspace)
  if (description.endpoints.length === 0)
    return (
      <Empty title={t('No endpoints yet')}>
        {t('Endpoints are the searches, filters and facets of an API.')}{' '}
        {may('edit')
          ? tNodes('Add them in the {file}.', {
              file: (
                <TextLink to="/w/$workspace/settings/workspace-file" params={{ workspace }}>
                  {t('workspace file')}
                </TextLink>
              ),
            })
          : t('An administrator can add them in the workspace file.')}
      </Empty>
    )
  return (
    <Empty title={t('No search yet')}>
      {t('Type to search. Results and code appear here.')}
      <Group justify="center" mt="md">
        <ShowAllButton description={description} onChange={onChange} />
      </Group>
    </Empty>
  )
}

/** Searches all documents, if the API has an endpoint for it. */
const ShowAllButton = ({ description, onChange }: Omit<NoSearchYetProps, 'workspace'>) => {
  const allEndpoint = description.endpoints.find(({ kind }) => kind === 'all')
  return (
    allEndpoint && (
      <Button variant="default" onClick={() => onChange([{ endpoint: allEndpoint.name, parameters: [] }])}>
        {t('Show all documents')}
      </Button>
    )
  )
}
