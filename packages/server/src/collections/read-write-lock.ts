/** Lets many write to a collection at a time, or one exchange what they write to. */

export interface Gate {
  /** Runs `work` beside others that share; waits while somebody has the gate alone. */
  share<T>(work: () => Promise<T>): Promise<T>
  /** Runs `work` when those that share are done, and makes later ones wait. One after another, in the order of the calls. */
  alone<T>(work: () => Promise<T>): Promise<T>
}

export const openGate = (): Gate => {
  const sharing = new Set<Promise<unknown>>()
  let wantedAlone = 0
  let lastAlone: Promise<unknown> = Promise.resolve()
  return {
    async share(work) {
      while (wantedAlone > 0) await lastAlone
      const running = work()
      sharing.add(running)
      try {
        return await running
      } finally {
        sharing.delete(running)
      }
    },
    alone(work) {
      wantedAlone += 1
      const before = lastAlone
      const run = async () => {
        try {
          await before
          await Promise.allSettled(sharing)
          return await work()
        } finally {
          wantedAlone -= 1
        }
      }
      const running = run()
      lastAlone = running.catch(() => {})
      return running
    },
  }
}

/** A gate for each key, kept while somebody uses it; in this process. */
export const openLocalGates = () => {
  const gates = new Map<string, { gate: Gate; users: number }>()
  const using = async <T>(key: string, work: (gate: Gate) => Promise<T>): Promise<T> => {
    const entry = gates.get(key) ?? { gate: openGate(), users: 0 }
    gates.set(key, entry)
    entry.users += 1
    try {
      return await work(entry.gate)
    } finally {
      entry.users -= 1
      if (entry.users === 0) gates.delete(key)
    }
  }
  const alone = <T>(key: string, work: () => Promise<T>): Promise<T> => using(key, gate => gate.alone(work))
  return {
    share: <T>(key: string, work: () => Promise<T>): Promise<T> => using(key, gate => gate.share(work)),
    alone,
    /** False, and nothing is done, when somebody uses the gate. */
    async tryAlone(key: string, work: () => Promise<unknown>): Promise<boolean> {
      if (gates.has(key)) return false
      await alone(key, work)
      return true
    },
  }
}
