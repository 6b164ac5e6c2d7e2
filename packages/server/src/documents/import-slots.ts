/** Bounds how many imports run at the same time: each holds a connection, two batches of documents and perhaps a generation. */
import { Problem } from '#errors'

const importsMax = 32
/** So that one workspace cannot keep the others out. */
const importsOfWorkspaceMax = 8

export type ImportSlots = <T>(workspaceId: string, work: () => Promise<T>) => Promise<T>

/** Runs `work`, or throws 503 when too many run already. `counted` is told how many there are. */
export const openImportSlots = (counted = { running: 0 }): ImportSlots => {
  const running = new Map<string, number>()
  return async (workspaceId, work) => {
    const ofWorkspace = running.get(workspaceId) ?? 0
    if (counted.running >= importsMax || ofWorkspace >= importsOfWorkspaceMax)
      throw new Problem(
        'overloaded',
        ofWorkspace >= importsOfWorkspaceMax
          ? `${importsOfWorkspaceMax} imports into this workspace are running, which is the most there may be; try again when one has ended`
          : 'too many imports are running; try again shortly',
      )
    running.set(workspaceId, ofWorkspace + 1)
    counted.running += 1
    try {
      return await work()
    } finally {
      counted.running -= 1
      const left = (running.get(workspaceId) ?? 1) - 1
      if (left > 0) running.set(workspaceId, left)
      else running.delete(workspaceId)
    }
  }
}
