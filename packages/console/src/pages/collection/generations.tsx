import { Badge, Group, Stack, Title } from '@mantine/core'
import type { Generation } from '@querent/contract/manage'
import { useOperation } from '#api/manage.ts'
import { language, t } from '#i18n/translate.ts'
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

const stateLabels = { building: t('Building'), complete: t('Ready'), promoted: t('Live') } as const

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
      moment={t('immediately')}
    />
  )
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t('Generations')}
        </Title>
        {previous && (
          <ConfirmButton
            label={t('Switch to generation {id}', { id: previous.id })}
            question={t('Switch to generation {id} of {collection}?', { id: previous.id, collection })}
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
        caption={t('Generations')}
        rows={generations}
        rowKey={({ id }) => id}
        columns={[
          { heading: t('Generation'), cell: ({ id }) => id },
          { heading: t('Created'), cell: ({ createdAt }) => <Moment moment={createdAt} /> },
          {
            heading: t('Documents'),
            cell: ({ documents }) => documents?.toLocaleString(language) ?? t('hidden'),
          },
          {
            heading: t('State'),
            cell: ({ state, down }) => (
              <Group gap="xs">
                <Badge variant="light" color={state === 'promoted' ? 'green' : 'gray'}>
                  {stateLabels[state]}
                </Badge>
                {down !== undefined && (
                  <Badge color="red" title={down}>
                    {t('down')}
                  </Badge>
                )}
              </Group>
            ),
          },
          { heading: t('Live in'), cell: ({ configurations }) => configurations.join(', ') },
          {
            heading: '',
            cell: generation =>
              generation.state === 'complete' && (
                <ConfirmButton
                  label={t('Promote')}
                  description={t('Promote generation {id}', { id: generation.id })}
                  question={t('Promote generation {id}?', { id: generation.id })}
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
