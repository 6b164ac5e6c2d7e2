/** Versions of generations, the same on every node: `ETag`s are made of them. What keeps them is handed to the engine. */
export interface GenerationVersions {
  read(id: string): Promise<GenerationVersion | undefined>
  /** Raises the version, 1 the first time, notes how many documents there are, and tells every node. */
  bump(id: string, documents: number): Promise<GenerationVersion>
  /** The generation is gone; no other gets its id. */
  remove(id: string): Promise<void>
  /** Calls with the id of a generation that another node has changed; without one when any may have been, until what it returns is called. */
  onChange(listener: (id: string | undefined) => void): () => void
}

export interface GenerationVersion {
  version: number
  documents: number
}

/** Those of one process, for as long as it lives. */
export function versionsInMemory(): GenerationVersions {
  const kept = new Map<string, GenerationVersion>()
  const listeners = new Set<(id: string) => void>()
  return {
    read: async id => kept.get(id),
    bump: async (id, documents) => {
      const next = { version: (kept.get(id)?.version ?? 0) + 1, documents }
      kept.set(id, next)
      for (const listener of listeners) listener(id)
      return next
    },
    remove: async id => void kept.delete(id),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
