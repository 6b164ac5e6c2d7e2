import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ApplyReply } from '@querent/contract/manage'
import { lazy, Suspense } from 'react'
import { t } from '#i18n/translate.ts'

const Changes = lazy(async () => ({ default: (await import('#ui/changes.tsx')).Changes }))

interface RemovalDialogProps {
  workspace: string
  /** Undefined: closed. */
  planned: ApplyReply | undefined
  onClose: () => void
  onApply: () => void
}

/** Asks before what the file leaves out is deleted. */
export const RemovalDialog = ({ workspace, planned, onClose, onApply }: RemovalDialogProps) => (
  <Modal
    opened={planned !== undefined}
    onClose={onClose}
    title={t('Delete everything that the file leaves out?')}
    size="lg"
    closeButtonProps={{ 'aria-label': t('Close') }}
  >
    <Stack>
      <Text>{t('Deleting a collection permanently deletes its documents.')}</Text>
      <Suspense>
        <Changes workspace={workspace} changes={planned?.changes ?? []} />
      </Suspense>
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onClose}>
          {t('Cancel')}
        </Button>
        <Button
          color="red"
          onClick={() => {
            onClose()
            onApply()
          }}
        >
          {t('Delete and apply')}
        </Button>
      </Group>
    </Stack>
  </Modal>
)
