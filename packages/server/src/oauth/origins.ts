/**
 * Origins of registered applications, whose pages may call the token endpoint: those of their redirect URIs, and those they list. In
 * memory, because a preflight names no client.
 */
import { allApplications, type ClientRow, findClient } from '#storage/clients'
import type { Storage } from '#storage/db'

export interface Origins {
  /** Whether some enabled application has this origin. Waits for changes that are being read. */
  registered(origin: string): Promise<boolean>
  close(): void
}

/** Origins of one application. Pure. Custom schemes of native applications have none. */
export const originsOf = (client: ClientRow): ReadonlySet<string> => {
  if (client.kind !== 'application' || client.disabled) return new Set()
  const { redirectUris, origins } = client.settings
  const found = [...redirectUris, ...origins].map(address => URL.parse(address)?.origin ?? 'null')
  return new Set(found.filter(origin => origin !== 'null'))
}

export const openOrigins = async (storage: Storage): Promise<Origins> => {
  const ofClient = new Map<string, ReadonlySet<string>>()
  const holders = new Map<string, number>()
  const count = (origins: ReadonlySet<string>, by: 1 | -1) => {
    for (const origin of origins) {
      const held = (holders.get(origin) ?? 0) + by
      if (held === 0) holders.delete(origin)
      else holders.set(origin, held)
    }
  }
  const set = (id: string, origins: ReadonlySet<string>) => {
    count(ofClient.get(id) ?? new Set(), -1)
    count(origins, 1)
    if (origins.size === 0) ofClient.delete(id)
    else ofClient.set(id, origins)
  }

  let reading: Promise<void> = Promise.resolve()
  // Before the first read, so that no change falls between the two.
  const close = storage.onChange(({ topic, key }) => {
    if (topic !== 'client') return
    const read = async () => {
      const client = await findClient(storage.db, key)
      set(key, client ? originsOf(client) : new Set())
    }
    reading = reading.then(read, read)
    reading.catch(() => {})
  })
  for (const client of await allApplications(storage.db)) set(client.id, originsOf(client))

  return {
    async registered(origin) {
      // Storage that is away: what was known goes on, as everywhere.
      await reading.catch(() => {})
      return holders.has(origin)
    },
    close,
  }
}
