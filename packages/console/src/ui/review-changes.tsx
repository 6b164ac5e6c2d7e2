import { Alert, Stack, Text } from '@mantine/core'
import type { ApplyReply } from '@querent/contract/manage'
import { useEffect, useRef } from 'react'
import { joinNames, t } from '#i18n/translate.ts'
import { Changes } from './changes.tsx'
import { Warnings } from './warnings.tsx'

interface ReviewChangesProps {
  workspace: string
  /** Reply of the dry run. */
  reply: ApplyReply
}

/** Shows the changes of the edit, and its cost. */
export const ReviewChanges = ({ workspace, reply }: ReviewChangesProps) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.focus(), [])
  return (
    <Stack ref={place} tabIndex={-1} gap="sm" role="group" aria-label={t('What this changes')}>
      {reply.rebuilds.length > 0 && (
        <Alert
          color="yellow"
          variant="light"
          title={t('All documents of {collection} are indexed again', {
            collection: joinNames(reply.rebuilds),
          })}
        >
          <Text size="sm">
            {t(
              'A new generation of the index is built. Queries use the current one until it is complete. Many documents take some minutes, and imports wait.',
            )}
          </Text>
        </Alert>
      )}
      {reply.warnings.length > 0 && (
        <Alert color="yellow" variant="light" title={t('Please check')}>
          <Warnings workspace={workspace} warnings={reply.warnings} />
        </Alert>
      )}
      <Changes workspace={workspace} changes={reply.changes} />
    </Stack>
  )
}

/** Leaves out the warnings about deleted documents, for dialogs that say it themselves. */
export const withoutLoss = (reply: ApplyReply): ApplyReply => ({
  ...reply,
  warnings: reply.warnings.filter(({ code }) => code !== 'removed-collection'),
})
