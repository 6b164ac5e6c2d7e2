import { Badge, Button, Group, Stack, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { reading, useChange } from '#api/manage.ts'
import { Confirm } from '#ui/confirm.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { When } from '#ui/when.tsx'

interface GenerationsProps {
  workspace: string
  collection: string
}

/** Complete sets of the collection's documents; the promoted one answers. */
export const Generations = ({ workspace, collection }: GenerationsProps) => {
  const params = { workspace, collection }
  const { data } = useSuspenseQuery(reading('listGenerations', { params }))
  const promote = useChange('promoteGeneration')
  const rollBack = useChange('rollBackGeneration')
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Generations
        </Title>
        {data.items.length > 1 && (
          <Confirm label="Roll back" question="Roll back?" onConfirm={() => rollBack.mutateAsync({ params })}>
            The generation that was promoted before the present one answers again.
          </Confirm>
        )}
      </Group>
      {promote.error && <ErrorNote error={promote.error} />}
      <DataTable
        caption="Generations"
        rows={data.items}
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
          { heading: 'Answers as', cell: ({ configurations }) => configurations.join(', ') },
          {
            heading: '',
            cell: ({ id, state }) =>
              state === 'complete' && (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={`Promote generation ${id}`}
                  loading={promote.isPending && promote.variables.input.generation === id}
                  onClick={() => promote.mutate({ params, input: { generation: id } })}
                >
                  Promote
                </Button>
              ),
          },
        ]}
      />
    </Stack>
  )
}
