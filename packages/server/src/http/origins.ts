/**
 * Origins of registered applications, whose pages may call the token endpoint and query their workspace: those of their redirect URIs,
 * and those they list. In memory, because a preflight names no client.
 */
import { allApplications, type ClientRow, findClient } from '#storage/clients'
import { everyKey, type Storage } from '#storage/db'

export interface Origins {
  /** Whether some enabled application has this origin. Waits for changes that are being read. */
  registered(origin: string): Promise<boolean>
  /** Whether some enabled application of this workspace has this origin. */
  registeredIn(workspaceId: string, origin: string): Promise<boolean>
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
  /** By Client ID: under which keys of `holders` it counts. */
  const ofClient = new Map<string, readonly string[]>()
  /** Number of applications by origin, and by workspace and origin. */
  const holders = new Map<string, number>()
  const inWorkspace = (workspaceId: string, origin: string) => `${workspaceId} ${origin}`
  const count = (keys: readonly string[], by: 1 | -1) => {
    for (const key of keys) {
      const held = (holders.get(key) ?? 0) + by
      if (held === 0) holders.delete(key)
      else holders.set(key, held)
    }
  }
  const set = (id: string, client: ClientRow | undefined) => {
    count(ofClient.get(id) ?? [], -1)
    const keys = client
      ? [...originsOf(client)].flatMap(origin => [origin, inWorkspace(client.workspaceId ?? '', origin)])
      : []
    count(keys, 1)
    if (keys.length === 0) ofClient.delete(id)
    else ofClient.set(id, keys)
  }

  const readAll = async () => {
    const applications = await allApplications(storage.db)
    const known = new Set(applications.map(({ id }) => id))
    for (const id of ofClient.keys()) if (!known.has(id)) set(id, undefined)
    for (const application of applications) set(application.id, application)
  }

  let reading: Promise<void> = Promise.resolve()
  // Before the first read, so that no change falls between the two.
  const close = storage.onChange(({ topic, key }) => {
    if (topic !== 'client') return
    const read = key === everyKey ? readAll : async () => set(key, await findClient(storage.db, key))
    reading = reading.then(read, read)
    reading.catch(() => {})
  })
  await readAll()

  return {
    async registered(origin) {
      // Storage that is away: what was known goes on, as everywhere.
      await reading.catch(() => {})
      return holders.has(origin)
    },
    async registeredIn(workspaceId, origin) {
      await reading.catch(() => {})
      return holders.has(inWorkspace(workspaceId, origin))
    },
    close,
  }
}
