import { Badge, Group, Stack, Title } from '@mantine/core'
import type { Generation } from '@querent/contract/manage'
import { useOperation } from '#api/manage.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { Moment } from '#ui/moment.tsx'
import { formatDocuments, GenerationSwitch } from './generation-switch.tsx'

interface GenerationsProps {
  workspace: string
  collection: string
  generations: readonly Generation[]
  /** Another generation has become the live one. */
  onSwitched: () => void
}

const stateLabels = { building: 'Building', complete: 'Ready', promoted: 'Live' } as const

/** Complete sets of the collection's documents. Queries use the promoted one. */
export const Generations = ({ workspace, collection, generations, onSwitched }: GenerationsProps) => {
  const params = { workspace, collection }
  const promote = useOperation('promoteGeneration')
  const rollBack = useOperation('rollBackGeneration')
  const previous = findPreviouslyPromoted(generations)
  const describeSwitch = ({ id, documents }: Generation) => (
    <GenerationSwitch
      collection={collection}
      generations={generations}
      next={{ id, documents: formatDocuments(documents) }}
      moment="immediately"
    />
  )
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Generations
        </Title>
        {previous && (
          <ConfirmButton
            label={`Switch to generation ${previous.id}`}
            question={`Switch to generation ${previous.id} of ${collection}?`}
            onConfirm={async () => {
              await rollBack.mutateAsync({ params })
              onSwitched()
            }}
          >
            {describeSwitch(previous)}
          </ConfirmButton>
        )}
      </Group>
      <DataTable
        caption="Generations"
        rows={generations}
        rowKey={({ id }) => id}
        columns={[
          { heading: 'Generation', cell: ({ id }) => id },
          { heading: 'Created', cell: ({ createdAt }) => <Moment moment={createdAt} /> },
          { heading: 'Documents', cell: ({ documents }) => documents?.toLocaleString('en') ?? 'hidden' },
          {
            heading: 'State',
            cell: ({ state }) => (
              <Badge variant="light" color={state === 'promoted' ? 'green' : 'gray'}>
                {stateLabels[state]}
              </Badge>
            ),
          },
          { heading: 'Live in', cell: ({ configurations }) => configurations.join(', ') },
          {
            heading: '',
            cell: generation =>
              generation.state === 'complete' && (
                <ConfirmButton
                  label="Promote"
                  description={`Promote generation ${generation.id}`}
                  question={`Promote generation ${generation.id}?`}
                  color="querent"
                  onConfirm={async () => {
                    await promote.mutateAsync({ params, input: { generation: generation.id } })
                    onSwitched()
                  }}
                >
                  {describeSwitch(generation)}
                </ConfirmButton>
              ),
          },
        ]}
      />
    </Stack>
  )
}

/** The one that a roll back promotes: it answered before the present one. After a roll back that is the one that was rolled back. */
const findPreviouslyPromoted = (generations: readonly Generation[]): Generation | undefined =>
  generations
    .filter(({ promotedAt, state }) => promotedAt !== null && state === 'complete')
    .sort((first, second) => Date.parse(second.promotedAt ?? '') - Date.parse(first.promotedAt ?? ''))[0]
