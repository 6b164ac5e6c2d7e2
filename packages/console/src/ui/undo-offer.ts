/** The last saved edit of a workspace file, which the person may undo. */
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import type { PlannedEdit } from '#api/workspace-file-edit.ts'

export interface UndoOffer {
  workspace: string
  /** The file before the edit. */
  file: WorkspaceFile
  saved: PlannedEdit
}

let offer: (UndoOffer & { id: number }) | undefined
let offers = 0
const listeners = new Set<() => void>()

/** Replaces the offer; undefined: there is none. */
export const offerUndo = (next: UndoOffer | undefined): void => {
  offers += 1
  offer = next && { ...next, id: offers }
  for (const notify of listeners) notify()
}

export const readUndoOffer = () => offer

export const subscribeToUndo = (onChange: () => void): (() => void) => {
  listeners.add(onChange)
  return () => listeners.delete(onChange)
}
