import { Button, type ButtonProps } from '@mantine/core'
import { useLocation, useNavigate } from '@tanstack/react-router'
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
  /** A link to the page with this hash opens the dialog too. */
  hash?: string
  /** The dialog, created again each time it opens. A lazy one is loaded the first time. */
  children: (dialog: DialogState) => ReactNode
}

/** A button that opens a dialog. */
export const DialogButton = ({
  label,
  description,
  isOpenAtFirst = false,
  hash,
  children,
  ...look
}: DialogButtonProps) => {
  const { open, dialog } = useLazyDialog(children, isOpenAtFirst)
  return (
    <>
      <Button {...look} aria-label={description ?? label} onClick={open}>
        {label}
      </Button>
      {hash !== undefined && <OpenByHash hash={hash} onOpen={open} />}
      {dialog}
    </>
  )
}

/** Opens a dialog when the address has its hash, and removes the hash, so that the dialog is closed after a reload. */
const OpenByHash = ({ hash, onOpen }: { hash: string; onOpen: () => void }) => {
  const isCalled = useLocation({ select: location => location.hash === hash })
  const navigate = useNavigate()
  useEffect(() => {
    if (!isCalled) return
    onOpen()
    void navigate({ to: '.', hash: '', replace: true, search: true })
  })
  return null
}

/** Returns functions that open and close a dialog, and the dialog, which is mounted from the first time on. */
export const useLazyDialog = (children: (dialog: DialogState) => ReactNode, isOpenAtFirst = false) => {
  const [isOpen, setOpen] = useState(isOpenAtFirst)
  const [timesOpened, setTimesOpened] = useState(isOpenAtFirst ? 1 : 0)
  const open = () => {
    setTimesOpened(timesOpened + 1)
    setOpen(true)
  }
  const close = () => setOpen(false)
  const dialog = timesOpened > 0 && (
    <Suspense>
      <OpenAfterMount key={timesOpened} isOpen={isOpen} onClose={close}>
        {children}
      </OpenAfterMount>
    </Suspense>
  )
  return { open, close, dialog }
}

/** Mounts the dialog closed, then opens it: otherwise Mantine does not return the focus to the button. */
const OpenAfterMount = ({ isOpen, onClose, children }: DialogState & Pick<DialogButtonProps, 'children'>) => {
  const [isThere, setThere] = useState(false)
  useEffect(() => setThere(true), [])
  return children({ isOpen: isOpen && isThere, onClose })
}
