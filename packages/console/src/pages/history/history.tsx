/** Settings > Workspace file > History: applied states, each of which can be restored. */
import { Alert, Text } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { WorkspaceVersion } from '@querent/contract/manage'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Fragment, lazy, useState } from 'react'
import { management } from '#api/manage.ts'
import { joinNames, t, tCount, tNodes } from '#i18n/translate.ts'
import { Changes } from '#ui/changes.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import type { DocumentLoss } from '#ui/document-loss.ts'
import { TextLink } from '#ui/links.tsx'
import { LogEntries } from '#ui/log-entries.tsx'
import { formatMoment, Moment } from '#ui/moment.tsx'
import { Page } from '#ui/page.tsx'

const RestoreDialog = lazy(async () => ({ default: (await import('./restore-dialog.tsx')).RestoreDialog }))

export const History = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/settings/workspace-file/history' })
  const states = useInfiniteQuery({
    queryKey: ['listWorkspaceHistory', workspace],
    queryFn: ({ pageParam }) =>
      management.call('listWorkspaceHistory', {
        params: { workspace },
        query: { count: 50, ...(pageParam === '' ? {} : { after: pageParam }) },
      }),
    initialPageParam: '',
    getNextPageParam: last => last.next ?? undefined,
  })
  const [restored, setRestored] = useState<RestoredProps>()
  const showRestored = (version: WorkspaceVersion, loss: DocumentLoss) => {
    setRestored({ workspace, version, loss })
    // The new state is the first of the list.
    window.scrollTo({ top: 0 })
  }
  return (
    <Page
      title={t('History')}
      description={t(
        'Each applied state of the workspace file of the last 90 days. Restoring one leaves members, groups and accounts as they are.',
      )}
    >
      <div role="status">{restored && <Restored {...restored} />}</div>
      <LogEntries query={states} otherError={null}>
        {items => <States workspace={workspace} items={items} onRestored={showRestored} />}
      </LogEntries>
    </Page>
  )
}

interface RestoredProps {
  workspace: string
  version: WorkspaceVersion
  loss: DocumentLoss
}

/** Says that a state is restored, and what a restore cannot bring back. */
const Restored = ({ workspace, version, loss: { deleted, empty } }: RestoredProps) => {
  const time = formatMoment(version.at)
  return (
    <Alert color={empty.length > 0 ? 'yellow' : 'green'} variant="light" mb="md">
      {deleted.length > 0
        ? t('The state of {time} is restored. The documents of {collections} are permanently deleted.', {
            time,
            collections: joinNames(deleted),
          })
        : t('The state of {time} is restored. To go back, restore the state below the first.', { time })}
      {empty.length > 0 && (
        <Text size="sm" mt="xs">
          {tNodes('Import documents into {collections}.', {
            collections: empty.map((collection, index) => (
              <Fragment key={collection}>
                {index > 0 && ', '}
                <TextLink to="/w/$workspace/data/$collection/import" params={{ workspace, collection }}>
                  {collection}
                </TextLink>
              </Fragment>
            )),
          })}
        </Text>
      )}
    </Alert>
  )
}

interface StatesProps {
  workspace: string
  items: WorkspaceVersion[]
  onRestored: (version: WorkspaceVersion, loss: DocumentLoss) => void
}

const States = ({ workspace, items, onRestored }: StatesProps) => (
  <DataTable
    caption={t('History')}
    rows={items}
    rowKey={({ id }) => id}
    columns={[
      { heading: t('Time'), cell: ({ at }) => <Moment moment={at} /> },
      { heading: t('Actor'), cell: ({ actor }) => displayEmail(actor) },
      {
        heading: t('Changes'),
        cell: version =>
          version.edits.length > 0 ? (
            <Changes workspace={workspace} changes={version.edits} />
          ) : (
            <Text size="sm">{describeVersion(version)}</Text>
          ),
      },
      {
        heading: '',
        cell: version => (
          <DialogButton
            label={t('Restore')}
            description={t('Restore the state of {time}', { time: formatMoment(version.at) })}
            size="compact-sm"
            variant="subtle"
          >
            {dialog => (
              <RestoreDialog
                {...dialog}
                workspace={workspace}
                version={version}
                onRestored={loss => onRestored(version, loss)}
              />
            )}
          </DialogButton>
        ),
      },
    ]}
  />
)

/** A state without changes to list: only its comments differ, its changes are too many, or only administrators see them. */
const describeVersion = ({ changes, textOnly }: WorkspaceVersion): string => {
  if (textOnly) return t('Only comments or layout')
  return changes === 0
    ? t('Changes that only administrators see')
    : tCount(changes, '{count} change', '{count} changes')
}
