import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'

/** Asks before the page is left with changes that were not applied. */
export const Leave = ({ isChanged }: { isChanged: boolean }) => {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isChanged,
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  })
  return (
    <Modal
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title="Leave without applying?"
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text>What you changed in the workspace file is not applied, and is lost.</Text>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={() => reset?.()}>
            Stay
          </Button>
          <Button color="red" onClick={() => proceed?.()}>
            Leave
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
