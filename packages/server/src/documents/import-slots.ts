/** Limits concurrent imports. Each holds a connection, two batches of documents and perhaps a generation. */
import { Problem } from '#errors'

export const importsMax = 32
/** So that one workspace cannot block the others. */
export const importsOfWorkspaceMax = 8

export type ImportSlots = <T>(workspaceId: string, work: () => Promise<T>) => Promise<T>

/** Runs `work`, or throws 503 if too many imports run already. Keeps `counter` up to date. */
export const openImportSlots = (counter: { running: number }): ImportSlots => {
  const running = new Map<string, number>()
  return async (workspaceId, work) => {
    const runningInWorkspace = running.get(workspaceId) ?? 0
    if (counter.running >= importsMax || runningInWorkspace >= importsOfWorkspaceMax)
      throw new Problem(
        'overloaded',
        runningInWorkspace >= importsOfWorkspaceMax
          ? `${importsOfWorkspaceMax} imports into this workspace are running, which is the limit; try again when one has ended`
          : 'too many imports are running; try again shortly',
      )
    running.set(workspaceId, runningInWorkspace + 1)
    counter.running += 1
    try {
      return await work()
    } finally {
      counter.running -= 1
      const remaining = (running.get(workspaceId) ?? 1) - 1
      if (remaining > 0) running.set(workspaceId, remaining)
      else running.delete(workspaceId)
    }
  }
}
