import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '#i18n/translate.ts'

interface LeaveDialogProps {
  question: string
  /** The changes that would be lost, in words. */
  children: ReactNode
  /** On the button that leaves. */
  leave: string
  onStay: () => void
  onLeave: () => void
}

/** Asks whether to leave the page. */
export const LeaveDialog = ({ question, children, leave, onStay, onLeave }: LeaveDialogProps) => (
  <Modal opened onClose={onStay} title={question} centered closeButtonProps={{ 'aria-label': t('Close') }}>
    <Stack>
      <Text>{children}</Text>
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onStay}>
          {t('Stay')}
        </Button>
        <Button color="red" onClick={onLeave}>
          {leave}
        </Button>
      </Group>
    </Stack>
  </Modal>
)
