import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isLeavingForLogin } from '#api/session.ts'

interface LeaveProps {
  /** Whether something would be lost. */
  asks: boolean
  question: string
  /** What would be lost, in words. */
  children: ReactNode
  /** On the button that leaves. */
  leave?: string
}

/** Asks before the page is left, by a link as well as by closing it. */
export const Leave = ({ asks, question, children, leave = 'Leave' }: LeaveProps) => {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => asks && current.pathname !== next.pathname,
    enableBeforeUnload: () => asks && !isLeavingForLogin(),
    withResolver: true,
  })
  return (
    <Modal
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title={question}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text>{children}</Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={() => reset?.()}>
            Stay
          </Button>
          <Button color="red" onClick={() => proceed?.()}>
            {leave}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
