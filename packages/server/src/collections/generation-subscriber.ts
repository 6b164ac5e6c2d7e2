/** Hears that generations changed, on whichever node, and reads which there are; what could not be read is read by a later round. */
import { allKeys, type Storage } from '#storage/db'
import { listWorkspaceIds } from '#storage/workspaces'
import type { KnownGenerations } from './generation-registry.ts'
import { openLocalGates } from './read-write-lock.ts'

interface HearingDependencies {
  storage: Storage
  known: KnownGenerations
  /** Reads a workspace's generations, and does what follows from them. */
  read: (workspaceId: string) => Promise<void>
  /** Is told of all that is underway. */
  tracked: (work: Promise<void>) => Promise<void>
}

/** Workspaces that are read at the same time, when many are. */
const atOnceMax = 8

/** Does `work` for each workspace, a few at a time; rejects with the first failure, when none is underway any more. */
export const forWorkspaces = async (
  ids: readonly string[],
  work: (workspaceId: string) => Promise<unknown>,
): Promise<void> => {
  const left = ids.values()
  const failures: unknown[] = []
  const next = async () => {
    for (const id of left) {
      if (failures.length > 0) return
      await work(id).catch(error => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: atOnceMax }, next))
  if (failures.length > 0) throw failures[0]
}

export const openHearing = ({ storage, known, read, tracked }: HearingDependencies) => {
  const { behind, opened } = known
  const gates = openLocalGates()
  let isClosed = false

  const readOne = async (workspaceId: string): Promise<void> => {
    // Storage or engine that is away: what is known goes on answering until a round can read it.
    if (!isClosed) await read(workspaceId).catch(() => void behind.add(workspaceId))
  }
  /** Those that are gone are closed too. Of several calls that wait for one, the first reads for all. */
  const readAll = (): Promise<void> =>
    gates.alone(allKeys, async () => {
      if (!behind.delete(allKeys)) return
      try {
        const ids = (await listWorkspaceIds(storage.db)).map(({ id }) => id)
        const openIn = [...opened.values()].map(row => row.workspace_id)
        await forWorkspaces([...new Set([...ids, ...openIn])], readOne)
      } catch {
        behind.add(allKeys)
      }
    })
  const hear = (key: string): Promise<void> => {
    if (key !== allKeys) return readOne(key)
    behind.add(allKeys)
    return readAll()
  }
  const stopListening = storage.onChange(({ topic, key }) => {
    if (topic === 'generations') void tracked(hear(key))
  })
  return {
    /** Reads what could not be read when it was heard of. */
    readAgain: () => tracked(forWorkspaces([...behind], hear)),
    close() {
      isClosed = true
      stopListening()
    },
  }
}
