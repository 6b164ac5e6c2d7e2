import { Button, Group } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { readOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { Empty } from '#ui/empty.tsx'
import { TextLink } from '#ui/links.tsx'
import { listFilters, withoutFilters } from './filters.ts'

interface NoResultsProps {
  workspace: string
  description: ApiDescription
  stack: StackedEndpoint[]
  onChange: (stack: StackedEndpoint[]) => unknown
}

/** In place of results: why there may be none, and what to do next. */
export const NoResults = ({ workspace, description, stack, onChange }: NoResultsProps) => {
  const { may } = useWorkspaceAccess(workspace)
  const { data: collections, isPending } = useQuery({
    ...readOperation('listCollections', { params: { workspace } }),
    enabled: may('edit'),
  })
  if (may('edit') && isPending) return null
  if (collections?.items.every(({ documents }) => documents === 0))
    return (
      <Empty title="No documents yet">
        There is nothing to find until there are some. Import into{' '}
        {collections.items.map(({ collection }, index) => (
          <Fragment key={collection}>
            {index > 0 && ', '}
            <TextLink to="/w/$workspace/data/$collection" params={{ workspace, collection }}>
              {collection}
            </TextLink>
          </Fragment>
        ))}
        .
      </Empty>
    )
  const hasFilters = listFilters(stack, description).length > 0
  const unfiltered = withoutFilters(stack, description)
  return (
    <Empty title="Nothing found">
      Other words{hasFilters && ' or fewer filters'} may find more. Your row filter, if you have one, holds
      here too.
      <Group justify="center" mt="md">
        {hasFilters && unfiltered.length > 0 && (
          <Button onClick={() => onChange(unfiltered)}>Search without filters</Button>
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

/** Before the first query. */
export const NoSearchYet = ({ workspace, description, onChange }: NoSearchYetProps) => {
  const { may } = useWorkspaceAccess(workspace)
  if (description.endpoints.length === 0)
    return (
      <Empty title="No endpoint yet">
        Endpoints are what an API is asked by: search, filters, facets.{' '}
        {may('edit') ? (
          <>
            Describe them in the{' '}
            <TextLink to="/w/$workspace/settings/workspace-file" params={{ workspace }}>
              workspace file
            </TextLink>
            .
          </>
        ) : (
          'An administrator describes them in the workspace file.'
        )}
      </Empty>
    )
  return (
    <Empty title="Nothing asked yet">
      Fill in what to look for, then Search. Results and the code for them appear here.
      <Group justify="center" mt="md">
        <ShowAllButton description={description} onChange={onChange} />
      </Group>
    </Empty>
  )
}

/** Where the API has an endpoint that gives all documents. */
const ShowAllButton = ({ description, onChange }: Omit<NoSearchYetProps, 'workspace'>) => {
  const allEndpoint = description.endpoints.find(({ kind }) => kind === 'all')
  return (
    allEndpoint && (
      <Button variant="default" onClick={() => onChange([{ endpoint: allEndpoint.name, parameters: [] }])}>
        Show all documents
      </Button>
    )
  )
}
