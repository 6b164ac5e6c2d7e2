import { type ReactElement, type ReactNode, Suspense, useState } from 'react'

interface LazyMenuProps {
  /** The button in the header. `open` is undefined as soon as the menu handles the button itself. */
  button: (open?: () => void) => ReactElement
  /** The menu around its button, open at first. */
  children: (button: ReactElement) => ReactNode
}

/** A button whose menu is loaded when it is opened for the first time: a menu is 20 KB, most of it to place it. */
export const LazyMenu = ({ button, children }: LazyMenuProps) => {
  const [isRequested, setRequested] = useState(false)
  const inert = button(() => setRequested(true))
  if (!isRequested) return inert
  return <Suspense fallback={inert}>{children(button())}</Suspense>
}
