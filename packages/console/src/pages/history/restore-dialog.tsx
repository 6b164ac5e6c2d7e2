import { Code, Text } from '@mantine/core'
import type { ApplyReply, WorkspaceVersion } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { management, useOperation } from '#api/manage.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { chooseTypedName, type DocumentLoss, readDocumentLoss } from '#ui/document-loss.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { Loading } from '#ui/loading.tsx'
import { LossNote } from '#ui/loss-note.tsx'
import { formatMoment } from '#ui/moment.tsx'
import { ReviewChanges, withoutLoss } from '#ui/review-changes.tsx'
import { TypedName } from '#ui/typed-name.tsx'

interface RestoreDialogProps extends DialogState {
  workspace: string
  version: WorkspaceVersion
  onRestored: (loss: DocumentLoss) => void
}

/** Shows what a state would change, and restores it. */
export const RestoreDialog = ({ workspace, version, isOpen, onClose, onRestored }: RestoreDialogProps) => {
  const { data: planned, error } = useQuery({
    queryKey: ['restore', workspace, version.id],
    queryFn: async () => {
      const { source } = await management.call('getWorkspaceVersion', {
        params: { workspace, version: version.id },
      })
      const [reply, { items }] = await Promise.all([
        management.call('applyWorkspaceFile', { input: { source, dryRun: true } }),
        management.call('listCollections', { params: { workspace } }),
      ])
      return { source, reply, loss: readDocumentLoss(reply, items) }
    },
    // The present may differ the next time.
    gcTime: 0,
    retry: false,
  })
  const { may } = useWorkspaceAccess(workspace)
  const apply = useOperation('applyWorkspaceFile')
  const [isConfirmed, setConfirmed] = useState(false)
  const typed = planned && chooseTypedName(planned.loss, workspace)
  const restore = async () => {
    if (!planned) return
    const { source, reply, loss } = planned
    if (changesAnything(reply)) await apply.mutateAsync({ input: { source, plan: reply.plan } })
    onClose()
    onRestored(loss)
  }
  return (
    <FormDialog
      title={t('Restore the state of {time}', { time: formatMoment(version.at) })}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('Restore')}
      {...(typed !== undefined && { color: 'red' })}
      onSubmit={restore}
      isWaiting={!planned || !changesAnything(planned.reply) || (typed !== undefined && !isConfirmed)}
    >
      {!planned && !error && <Loading />}
      {error && <ErrorNote error={error} />}
      {planned && <Review workspace={workspace} {...planned} />}
      <Text size="sm">
        {may('administer')
          ? t(
              'Collections, APIs, configurations, tests, sign-in and settings become as they were then, and so do the comments and the layout of the file. Members, groups, accounts, applications and the documents of remaining collections stay as they are now.',
            )
          : t(
              'Collections, APIs, configurations and tests become as they were then, and so do the comments and the layout of the file. Everything else stays as it is now: documents of remaining collections, who may see what, sign-in, settings, members, groups, accounts and applications.',
            )}
      </Text>
      <TypedName typed={typed} onMatch={setConfirmed} />
    </FormDialog>
  )
}

/** The newest state changes nothing. */
const changesAnything = ({ changes, textChanged }: ApplyReply): boolean => changes.length > 0 || textChanged

interface ReviewProps {
  workspace: string
  source: string
  reply: ApplyReply
  loss: DocumentLoss
}

const Review = ({ workspace, source, reply, loss }: ReviewProps) => (
  <>
    <LossNote loss={loss} />
    {reply.changes.length > 0 ? (
      <ReviewChanges workspace={workspace} reply={withoutLoss(reply)} />
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
