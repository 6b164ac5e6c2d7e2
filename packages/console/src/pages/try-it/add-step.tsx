import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import type { AddMenuEntry } from './add-menu.tsx'

const AddMenu = lazy(async () => ({ default: (await import('./add-menu.tsx')).AddMenu }))

interface AddStepProps {
  label: string
  entries: readonly AddMenuEntry[]
  onAdd: (name: string) => void
}

/** A button that opens the endpoints to add. Without any, there is no button. */
export const AddStep = ({ label, entries, onAdd }: AddStepProps) => {
  const [isRequested, setRequested] = useState(false)
  if (entries.length === 0) return null
  const button = (
    <Button
      variant="subtle"
      size="compact-sm"
      leftSection={<IconPlus size={16} />}
      aria-haspopup="menu"
      onClick={() => setRequested(true)}
    >
      {label}
    </Button>
  )
  if (!isRequested) return button
  return (
    <Suspense fallback={button}>
      <AddMenu entries={entries} onAdd={onAdd}>
        {button}
      </AddMenu>
    </Suspense>
  )
}
