/**
 * Origins of registered applications: those of their redirect URIs, and those that they list. Pages of these origins may call the token
 * endpoint and query their workspace. They are in memory, because a preflight names no client.
 */
import { type ClientRow, findClient, listAllApplications } from '#storage/clients'
import { allKeys, type Storage } from '#storage/db'

/** Public URLs of the query service and the authorization server, without a trailing slash. */
export interface ServiceUrls {
  baseUrl: string
  authUrl: string
  /** Further version numbers in paths of the query service. */
  pathVersions?: readonly string[]
}

export interface Origins {
  /** True if an enabled application has this origin. Waits for changes that are being read. */
  isRegistered(origin: string): Promise<boolean>
  /** True if an enabled application of this workspace has this origin. */
  isRegisteredIn(workspaceId: string, origin: string): Promise<boolean>
  close(): void
}

/** Lists the origins of one application. Custom schemes of native applications have none. */
export const listOrigins = (client: ClientRow): ReadonlySet<string> => {
  if (client.kind !== 'application' || client.disabled) return new Set()
  const { redirectUris, origins } = client.settings
  const candidates = [...redirectUris, ...origins].map(address => URL.parse(address)?.origin ?? 'null')
  return new Set(candidates.filter(origin => origin !== 'null'))
}

export const openOrigins = async (storage: Storage): Promise<Origins> => {
  /** The keys of `countByKey` under which a client counts, by Client ID. */
  const keysByClient = new Map<string, readonly string[]>()
  /** Number of applications by origin, and by workspace and origin. */
  const countByKey = new Map<string, number>()
  const workspaceKey = (workspaceId: string, origin: string) => `${workspaceId} ${origin}`
  const addToCounts = (keys: readonly string[], delta: 1 | -1) => {
    for (const key of keys) {
      const newCount = (countByKey.get(key) ?? 0) + delta
      if (newCount === 0) countByKey.delete(key)
      else countByKey.set(key, newCount)
    }
  }
  const setClient = (id: string, client: ClientRow | undefined) => {
    addToCounts(keysByClient.get(id) ?? [], -1)
    const keys = client
      ? [...listOrigins(client)].flatMap(origin => [origin, workspaceKey(client.workspaceId ?? '', origin)])
      : []
    addToCounts(keys, 1)
    if (keys.length === 0) keysByClient.delete(id)
    else keysByClient.set(id, keys)
  }

  const readAll = async () => {
    const applications = await listAllApplications(storage.db)
    const currentIds = new Set(applications.map(({ id }) => id))
    for (const id of keysByClient.keys()) if (!currentIds.has(id)) setClient(id, undefined)
    for (const application of applications) setClient(application.id, application)
  }

  let reading: Promise<void> = Promise.resolve()
  // Subscribe before the first read, so that no change is missed.
  const close = storage.onChange(({ topic, key }) => {
    if (topic !== 'client') return
    const read = key === allKeys ? readAll : async () => setClient(key, await findClient(storage.db, key))
    reading = reading.then(read, read)
    // Until the next change, the origins in memory stay valid.
    reading.catch(() => {})
  })
  await readAll()

  return {
    async isRegistered(origin) {
      // While the storage is away, the origins in memory stay valid.
      await reading.catch(() => {})
      return countByKey.has(origin)
    },
    async isRegisteredIn(workspaceId, origin) {
      // While the storage is away, the origins in memory stay valid.
      await reading.catch(() => {})
      return countByKey.has(workspaceKey(workspaceId, origin))
    },
    close,
  }
}
