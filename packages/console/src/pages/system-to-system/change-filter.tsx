import { Button, Stack, Text } from '@mantine/core'
import type { SystemToSystem } from '@querent/contract/manage'
import { useState } from 'react'
import { useChange } from '#api/manage.ts'
import { Dialogue } from '#ui/dialogue.tsx'
import { faultAt } from '#ui/faults.ts'
import { RowFilterForm, useRowFilter } from '#ui/row-filter-form.tsx'

interface ChangeFilterProps {
  workspace: string
  account: SystemToSystem
}

/** Changes which documents an account sees. */
export const ChangeFilter = ({ workspace, account }: ChangeFilterProps) => {
  const [isOpen, setOpen] = useState(false)
  const filter = useRowFilter(workspace, isOpen)
  const update = useChange('updateSystemToSystem')
  const open = () => {
    filter.fill(account.filter)
    update.reset()
    setOpen(true)
  }
  const save = async () => {
    const next = filter.read()
    if (next === undefined) return
    await update.mutateAsync({
      params: { workspace, clientId: account.clientId },
      input: { filter: next },
    })
    setOpen(false)
  }
  const label = `Change what ${account.name} sees`
  return (
    <>
      <Button size="compact-sm" variant="subtle" aria-label={label} onClick={open}>
        Change
      </Button>
      <Dialogue
        title={label}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit="Save"
        onSubmit={save}
        fields={['filter']}
      >
        <Stack>
          <RowFilterForm {...filter.state} error={faultAt(update.error, 'filter')} />
          <Text size="sm" c="dimmed">
            It holds from its very next request on.
          </Text>
        </Stack>
      </Dialogue>
    </>
  )
}
