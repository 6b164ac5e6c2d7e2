import { Badge, Group, Stack, Title } from '@mantine/core'
import type { Generation } from '@querent/contract/manage'
import { useChange } from '#api/manage.ts'
import { Confirm } from '#ui/confirm.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { When } from '#ui/when.tsx'
import { Exchange, inDocuments } from './generation-switch.tsx'

interface GenerationsProps {
  workspace: string
  collection: string
  generations: readonly Generation[]
  /** Another generation has become the live one. */
  onExchanged: () => void
}

/** Complete sets of the collection's documents; the promoted one answers. */
export const Generations = ({ workspace, collection, generations, onExchanged }: GenerationsProps) => {
  const params = { workspace, collection }
  const promote = useChange('promoteGeneration')
  const rollBack = useChange('rollBackGeneration')
  const before = promotedBefore(generations)
  const exchange = ({ id, documents }: Generation) => (
    <Exchange
      collection={collection}
      generations={generations}
      next={{ id, documents: inDocuments(documents) }}
      when="at once"
    />
  )
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Generations
        </Title>
        {before && (
          <Confirm
            label={`Go back to generation ${before.id}`}
            question={`Go back to generation ${before.id} of ${collection}?`}
            onConfirm={async () => {
              await rollBack.mutateAsync({ params })
              onExchanged()
            }}
          >
            {exchange(before)}
          </Confirm>
        )}
      </Group>
      <DataTable
        caption="Generations"
        rows={generations}
        keyOf={({ id }) => id}
        columns={[
          { heading: 'Generation', cell: ({ id }) => id },
          { heading: 'Made', cell: ({ createdAt }) => <When at={createdAt} /> },
          { heading: 'Documents', cell: ({ documents }) => documents?.toLocaleString('en') ?? 'not told' },
          {
            heading: 'State',
            cell: ({ state }) => (
              <Badge variant="light" color={state === 'promoted' ? 'green' : 'gray'}>
                {state}
              </Badge>
            ),
          },
          { heading: 'Answers in configurations', cell: ({ configurations }) => configurations.join(', ') },
          {
            heading: '',
            cell: generation =>
              generation.state === 'complete' && (
                <Confirm
                  label="Promote"
                  description={`Promote generation ${generation.id}`}
                  question={`Promote generation ${generation.id}?`}
                  color="querent"
                  onConfirm={async () => {
                    await promote.mutateAsync({ params, input: { generation: generation.id } })
                    onExchanged()
                  }}
                >
                  {exchange(generation)}
                </Confirm>
              ),
          },
        ]}
      />
    </Stack>
  )
}

/** The one that a roll back promotes: it answered before the present one. After a roll back that is the one that was rolled back. */
const promotedBefore = (generations: readonly Generation[]): Generation | undefined =>
  generations
    .filter(({ promotedAt, state }) => promotedAt !== null && state === 'complete')
    .sort((one, other) => Date.parse(other.promotedAt ?? '') - Date.parse(one.promotedAt ?? ''))[0]
