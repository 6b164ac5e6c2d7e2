/** The writes of a collection as its clients know them: the version of each document, and whether the server acknowledged it. */

/** `undefined`: the document does not exist. */
export type Version = number | undefined

interface Entry {
  acknowledged: Version
  /** Writes after the acknowledged one, in order, whose outcome is unknown. */
  unknown: Version[]
}

/** Each id must have one writer at a time, which waits for its reply or the end of the server. */
export const createLedger = () => {
  const entries = new Map<string, Entry>()
  const find = (id: string): Entry => {
    const entry = entries.get(id) ?? { acknowledged: undefined, unknown: [] }
    entries.set(id, entry)
    return entry
  }
  return {
    /** Records a write before it is sent. */
    begin: (id: string, version: Version): void => void find(id).unknown.push(version),
    acknowledge: (id: string, version: Version): void =>
      void entries.set(id, { acknowledged: version, unknown: [] }),
    /** Compares with the stored documents, and continues from them. */
    settle(stored: ReadonlyMap<string, number>): { lost: string[]; resurrected: string[] } {
      const lostIds: string[] = []
      const resurrectedIds: string[] = []
      for (const id of stored.keys()) find(id)
      for (const [id, { acknowledged, unknown }] of entries) {
        const version = stored.get(id)
        if (version !== acknowledged && !unknown.includes(version))
          (version === undefined ? lostIds : resurrectedIds).push(
            `${id}: ${version} instead of ${acknowledged}`,
          )
        entries.set(id, { acknowledged: version, unknown: [] })
      }
      return { lost: lostIds, resurrected: resurrectedIds }
    },
  }
}

export type Ledger = ReturnType<typeof createLedger>
