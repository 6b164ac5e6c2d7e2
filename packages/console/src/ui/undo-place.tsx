import { useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react'
import { offerUndo, readUndoOffer, subscribeToUndo } from './undo-offer.ts'

const UndoNote = lazy(async () => ({ default: (await import('./undo-note.tsx')).UndoNote }))

/** Offers to undo the last saved edit, until another page opens. */
export const UndoPlace = () => {
  const offer = useSyncExternalStore(subscribeToUndo, readUndoOffer)
  const path = useLocation({ select: location => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: it ends when the path changes
  useEffect(() => () => offerUndo(undefined), [path])
  // The live region is there before its text, or screen readers miss it.
  return (
    <div role="status" className="undo-place">
      {offer && (
        <Suspense>
          <UndoNote key={offer.id} offer={offer} />
        </Suspense>
      )}
    </div>
  )
}
