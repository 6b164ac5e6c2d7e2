/** Somebody else has changed the workspace since the person opened its file: shows the change, and offers to merge the text into it. */
import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core'
import type { Change } from '@querent/contract/manage'
import { mergeTexts } from '@querent/contract/merge-texts'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import type { FileBase } from '#api/file-base.ts'
import { management } from '#api/manage.ts'
import { t, tCount } from '#i18n/translate.ts'
import { Changes } from '#ui/changes.tsx'
import { Loading } from '#ui/loading.tsx'

interface ChangedMeanwhileProps {
  workspace: string
  /** The text that the person opened, what they made of it, and what the file is now. */
  opened: string
  text: string
  current: FileBase
  onClose: () => void
  /** Starts from the current file, with the merged text, or with its own. */
  onStart: (file: FileBase, text: string) => void
}

export const ChangedMeanwhile = ({
  workspace,
  opened,
  text,
  current,
  onClose,
  onStart,
}: ChangedMeanwhileProps) => {
  const [preferred, setPreferred] = useState<'mine' | 'theirs'>('theirs')
  const { text: merged, conflicts } = mergeTexts(opened, text, current.source, preferred)
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('Somebody else has changed this meanwhile')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack>
        <Text size="sm">
          {t('The workspace has changed since you opened its file. Nothing of yours was applied.')}
        </Text>
        <OthersChanges workspace={workspace} opened={opened} current={current} />
        {conflicts.length > 0 && (
          <Stack gap="xs">
            <Radio.Group
              label={tCount(
                conflicts.length,
                'You both changed the same lines at {count} place. Lines to keep there:',
                'You both changed the same lines at {count} places. Lines to keep there:',
              )}
              value={preferred}
              // The values are those of the radio buttons.
              onChange={value => setPreferred(value as typeof preferred)}
            >
              <Group mt="xs">
                <Radio value="theirs" label={t('The lines of the others')} />
                <Radio value="mine" label={t('My lines')} />
              </Group>
            </Radio.Group>
            {conflicts.slice(0, shownMax).map(({ mine, theirs }) => (
              <Lines key={`${theirs}\n${mine}`} lines={preferred === 'mine' ? mine : theirs} />
            ))}
          </Stack>
        )}
        <Group justify="flex-end" className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {t('Cancel')}
          </Button>
          <Button variant="default" onClick={() => onStart(current, current.source)}>
            {t('Discard my changes')}
          </Button>
          <Button data-autofocus onClick={() => onStart(current, merged)}>
            {t('Merge')}
          </Button>
        </Group>
        <Text size="xs" c="dimmed">
          {t('Merging puts your lines into the current file. You can check it before you apply it.')}
        </Text>
      </Stack>
    </Modal>
  )
}

const shownMax = 5

const Lines = ({ lines }: { lines: string }) => (
  <Text component="pre" size="xs" ff="monospace" m={0} style={{ overflowX: 'auto' }}>
    {lines === '' ? t('(deleted)') : lines}
  </Text>
)

/** The changes from the opened state to the current one: the reverse of what applying the opened text would do. */
const OthersChanges = ({
  workspace,
  opened,
  current,
}: Pick<ChangedMeanwhileProps, 'workspace' | 'opened' | 'current'>) => {
  const { data: changes, isPending } = useQuery({
    queryKey: ['changedMeanwhile', workspace, current.tag],
    queryFn: async () => {
      const reply = await management.call('applyWorkspaceFile', { input: { source: opened, dryRun: true } })
      return reply.workspace === workspace ? reply.changes.map(reverse) : []
    },
    gcTime: 0,
    retry: false,
  })
  if (isPending) return <Loading />
  if (!changes || changes.length === 0)
    return (
      <Text size="sm">{t('The others changed comments, or parts that are described in the history.')}</Text>
    )
  return (
    <Stack gap="xs" role="group" aria-label={t('What the others changed')}>
      <Text size="sm" fw={600}>
        {t('What the others changed')}
      </Text>
      <Suspense>
        <Changes workspace={workspace} changes={changes} />
      </Suspense>
    </Stack>
  )
}

const reversed = { add: 'remove', remove: 'add', change: 'change' } as const

const reverse = ({ change, path, before, after }: Change): Change => ({
  change: reversed[change],
  path,
  ...(after === undefined ? {} : { before: after }),
  ...(before === undefined ? {} : { after: before }),
})
