import { Select } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '#api/manage.ts'
import { Dialogue } from '#ui/dialog.tsx'
import type { Opened } from '#ui/dialog-button.tsx'
import { keptLabel, NewSecret } from '#ui/new-secret.tsx'

const daySeconds = 86_400

const lifetimes = [
  { value: '', label: 'Never' },
  { value: String(30 * daySeconds), label: 'In 30 days' },
  { value: String(90 * daySeconds), label: 'In 90 days' },
  { value: String(365 * daySeconds), label: 'In a year' },
]

interface AddSecretProps extends Opened {
  workspace: string
  clientId: string
}

/** Makes one more secret of an account, and shows it this once. */
export const AddSecret = ({ workspace, clientId, isOpen, onClose }: AddSecretProps) => {
  const [lifetime, setLifetime] = useState('')
  const add = useChange('addSecret')
  const made = add.data
  const send = async () => {
    if (made) return onClose()
    const input = lifetime === '' ? {} : { expiresInSeconds: Number(lifetime) }
    await add.mutateAsync({ params: { workspace, clientId }, input })
  }
  return (
    <Dialogue
      title="Make another Client Secret"
      isOpen={isOpen}
      onClose={onClose}
      submit={made ? keptLabel : 'Make'}
      onSubmit={send}
      isDone={made !== undefined}
    >
      {made ? (
        <NewSecret clientId={made.clientId} clientSecret={made.clientSecret} />
      ) : (
        <Select
          label="Expires"
          data={lifetimes}
          value={lifetime}
          onChange={value => setLifetime(value ?? '')}
          allowDeselect={false}
        />
      )}
    </Dialogue>
  )
}
