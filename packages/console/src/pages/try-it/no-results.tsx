import { Button, Group } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { reading } from '#api/manage.ts'
import { useStanding } from '#api/rights.ts'
import { Empty } from '#ui/empty.tsx'
import { TextLink } from '#ui/links.tsx'
import { filtersOf, withoutFilters } from './filters.ts'

interface NoResultsProps {
  workspace: string
  about: ApiDescription
  stack: StackedEndpoint[]
  onChange: (stack: StackedEndpoint[]) => unknown
}

/** In place of results: why there may be none, and what to do next. */
export const NoResults = ({ workspace, about, stack, onChange }: NoResultsProps) => {
  const { may } = useStanding(workspace)
  const { data: collections, isPending } = useQuery({
    ...reading('listCollections', { params: { workspace } }),
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
  const hasFilters = filtersOf(stack, about).length > 0
  const asked = withoutFilters(stack, about)
  return (
    <Empty title="Nothing found">
      Other words{hasFilters && ' or fewer filters'} may find more. Your row filter, if you have one, holds
      here too.
      <Group justify="center" mt="md">
        {hasFilters && asked.length > 0 && (
          <Button onClick={() => onChange(asked)}>Search without filters</Button>
        )}
        <AllDocuments about={about} onChange={onChange} />
      </Group>
    </Empty>
  )
}

interface NothingAskedProps {
  workspace: string
  about: ApiDescription
  onChange: (stack: StackedEndpoint[]) => unknown
}

/** Before the first query. */
export const NothingAsked = ({ workspace, about, onChange }: NothingAskedProps) => {
  const { may } = useStanding(workspace)
  if (about.endpoints.length === 0)
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
        <AllDocuments about={about} onChange={onChange} />
      </Group>
    </Empty>
  )
}

/** Where the API has an endpoint that gives all documents. */
const AllDocuments = ({ about, onChange }: Omit<NothingAskedProps, 'workspace'>) => {
  const all = about.endpoints.find(({ kind }) => kind === 'all')
  return (
    all && (
      <Button variant="default" onClick={() => onChange([{ endpoint: all.name, parameters: [] }])}>
        Show all documents
      </Button>
    )
  )
}
