import { Button, type ButtonProps } from '@mantine/core'
import { type ReactNode, Suspense, useEffect, useState } from 'react'

/** State of a dialog, from the button that opens it. */
export interface DialogState {
  isOpen: boolean
  onClose: () => void
}

interface DialogButtonProps extends Omit<ButtonProps, 'children'> {
  /** Button label. */
  label: string
  /** For a screen reader, where several buttons have the same label: `Remove ada@example.org`. */
  description?: string | undefined
  /** Opens the dialog with the page. */
  isOpenAtFirst?: boolean
  /** The dialog, created again each time it opens. A lazy one is loaded the first time. */
  children: (dialog: DialogState) => ReactNode
}

/** A button that opens a dialog. */
export const DialogButton = ({
  label,
  description,
  isOpenAtFirst = false,
  children,
  ...look
}: DialogButtonProps) => {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const [timesOpened, setTimesOpened] = useState(isOpenAtFirst ? 1 : 0)
  const open = () => {
    setTimesOpened(timesOpened + 1)
    setOpen(true)
  }
  return (
    <>
      <Button {...look} aria-label={description ?? label} onClick={open}>
        {label}
      </Button>
      {timesOpened > 0 && (
        <Suspense>
          <OpenAfterMount key={timesOpened} isOpen={isOpen} onClose={() => setOpen(false)}>
            {children}
          </OpenAfterMount>
        </Suspense>
      )}
    </>
  )
}

/** Mounts the dialog closed, then opens it: otherwise Mantine does not return the focus to the button. */
const OpenAfterMount = ({ isOpen, onClose, children }: DialogState & Pick<DialogButtonProps, 'children'>) => {
  const [isThere, setThere] = useState(false)
  useEffect(() => setThere(true), [])
  return children({ isOpen: isOpen && isThere, onClose })
}
