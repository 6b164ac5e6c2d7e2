import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isLeavingForLogin } from '#api/session.ts'
import { t } from '#i18n/translate.ts'

interface LeaveGuardProps {
  /** Whether something would be lost. */
  isBlocking: boolean
  question: string
  /** The changes that would be lost, in words. */
  children: ReactNode
  /** On the button that leaves. */
  leave?: string
  /** Path below which nothing is lost; by default only the path of the page. */
  within?: string
}

/** Asks before the page is left, by a link as well as by closing it. */
export const LeaveGuard = ({
  isBlocking,
  question,
  children,
  leave = t('Leave'),
  within,
}: LeaveGuardProps) => {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isBlocking && current.pathname !== next.pathname && !isBelow(next.pathname, within),
    enableBeforeUnload: () => isBlocking && !isLeavingForLogin(),
    withResolver: true,
  })
  return (
    <Modal
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title={question}
      centered
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack>
        <Text>{children}</Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={() => reset?.()}>
            {t('Stay')}
          </Button>
          <Button color="red" onClick={() => proceed?.()}>
            {leave}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** Asks before the page of a form is left that has a button Save. */
export const SaveGuard = ({ isBlocking }: Pick<LeaveGuardProps, 'isBlocking'>) => (
  <LeaveGuard isBlocking={isBlocking} question={t('Leave without saving?')}>
    {t('Your changes are not saved and will be lost.')}
  </LeaveGuard>
)

const isBelow = (pathname: string, parent: string | undefined): boolean =>
  parent !== undefined && (pathname === parent || pathname.startsWith(`${parent}/`))
