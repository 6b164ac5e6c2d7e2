import { Code, Text } from '@mantine/core'
import type { ApplyReply, WorkspaceVersion } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import { management, useOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { Loading } from '#ui/loading.tsx'
import { formatMoment } from '#ui/moment.tsx'
import { ReviewChanges } from '#ui/review-changes.tsx'

interface RestoreDialogProps extends DialogState {
  workspace: string
  version: WorkspaceVersion
  onRestored: () => void
}

/** Shows what a state would change, and restores it. */
export const RestoreDialog = ({ workspace, version, isOpen, onClose, onRestored }: RestoreDialogProps) => {
  const { data: planned, error } = useQuery({
    queryKey: ['restore', workspace, version.id],
    queryFn: async () => {
      const { source } = await management.call('getWorkspaceVersion', {
        params: { workspace, version: version.id },
      })
      const reply = await management.call('applyWorkspaceFile', { input: { source, dryRun: true } })
      return { source, reply }
    },
    // The present may differ the next time.
    gcTime: 0,
    retry: false,
  })
  const { may } = useWorkspaceAccess(workspace)
  const apply = useOperation('applyWorkspaceFile')
  const restore = async () => {
    if (!planned) return
    const { source, reply } = planned
    if (reply.changes.length > 0 || reply.textChanged)
      await apply.mutateAsync({ input: { source, plan: reply.plan } })
    onClose()
    onRestored()
  }
  return (
    <FormDialog
      title={t('Restore the state of {time}', { time: formatMoment(version.at) })}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('Restore')}
      onSubmit={restore}
    >
      {!planned && !error && <Loading />}
      {error && <ErrorNote error={error} />}
      {planned && <Review workspace={workspace} {...planned} />}
      <Text size="sm">
        {may('administer')
          ? t(
              'Collections, APIs, configurations, tests, sign-in and settings become as they were then, and so do the comments and the layout of the file. Documents of these collections, members, groups, accounts and applications stay as they are now.',
            )
          : t(
              'Collections, APIs, configurations and tests become as they were then, and so do the comments and the layout of the file. Everything else stays as it is now: documents of these collections, who may see what, sign-in, settings, members, groups, accounts and applications.',
            )}
      </Text>
    </FormDialog>
  )
}

interface ReviewProps {
  workspace: string
  source: string
  reply: ApplyReply
}

const Review = ({ workspace, source, reply }: ReviewProps) => (
  <>
    {reply.changes.length > 0 ? (
      <ReviewChanges workspace={workspace} reply={reply} />
    ) : (
      <Text size="sm">
        {reply.textChanged
          ? t('Only comments or the layout of the file differ from this state.')
          : t('The workspace has this state.')}
      </Text>
    )}
    <details>
      <summary>{t('The file that this applies')}</summary>
      <Code block mah={320} style={{ overflow: 'auto' }} tabIndex={0}>
        {source}
      </Code>
    </details>
  </>
)
