/** The foot of every form in a dialog: what was refused, and the buttons. Both stay in sight while the inputs scroll. */
import { Group } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { focusFault } from './focus-fault.ts'

interface DialogFooterProps {
  /** The refusal of the last attempt, such as an ErrorNote; undefined if there is none. */
  refusal: ReactNode
  justify?: 'flex-end' | 'space-between'
  /** The buttons. */
  children: ReactNode
}

export const DialogFooter = ({ refusal, justify = 'flex-end', children }: DialogFooterProps) => {
  const place = useRef<HTMLDivElement>(null)
  const isRefused = Boolean(refusal)
  useEffect(() => {
    if (isRefused && !focusFault(place.current?.closest('form'))) place.current?.focus()
  }, [isRefused])
  return (
    <div className="dialog-buttons">
      {isRefused && (
        <div ref={place} tabIndex={-1} className="dialog-refusal">
          {refusal}
        </div>
      )}
      <Group justify={justify}>{children}</Group>
    </div>
  )
}
