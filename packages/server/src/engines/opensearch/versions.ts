/** Stores the versions of generations, which are the same on every node and become part of `ETag`s. */
export interface GenerationVersions {
  read(id: string): Promise<GenerationVersion | undefined>
  /** Raises the version (the first is 1), stores the number of documents, and notifies every node. */
  bump(id: string, documents: number): Promise<GenerationVersion>
  /** Deletes the version of a dropped generation. Its id is not reused. */
  remove(id: string): Promise<void>
  /**
   * Calls the listener with the id of a generation that another node has changed, or with undefined if any may have changed. Returns a
   * function that ends this.
   */
  onChange(listener: (id: string | undefined) => void): () => void
}

export interface GenerationVersion {
  version: number
  documents: number
}

/** Keeps versions in the memory of this process. */
export function versionsInMemory(): GenerationVersions {
  const versions = new Map<string, GenerationVersion>()
  const listeners = new Set<(id: string) => void>()
  return {
    read: async id => versions.get(id),
    bump: async (id, documents) => {
      const next = { version: (versions.get(id)?.version ?? 0) + 1, documents }
      versions.set(id, next)
      for (const listener of listeners) listener(id)
      return next
    },
    remove: async id => void versions.delete(id),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
