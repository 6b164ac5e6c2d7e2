/**
 * Where the tokens of a page are. Browsers copy localStorage between the processes of their tabs with a delay, so a tab could read a refresh
 * token that another has replaced. IndexedDB has no such copies.
 */

export interface StoredSignIn {
  accessToken: string
  /** Milliseconds since the epoch. */
  usableUntilMs: number
  refreshToken?: string
  idToken?: string
}

export interface SignInStore {
  read(): Promise<StoredSignIn | undefined>
  write(signIn: StoredSignIn | undefined): Promise<void>
}

/** A store of this tab, in sessionStorage. */
export const tabStore = (key: string): SignInStore => ({
  read: async () => parseJson<StoredSignIn>(sessionStorage.getItem(key)),
  async write(signIn) {
    if (signIn) sessionStorage.setItem(key, JSON.stringify(signIn))
    else sessionStorage.removeItem(key)
  },
})

/** The parts of IndexedDB that the store uses (https://www.w3.org/TR/IndexedDB/). */
interface DatabaseRequest<T> {
  result: T
  error: unknown
  onsuccess: () => void
  onerror: () => void
}
interface ObjectStore {
  get(key: string): DatabaseRequest<StoredSignIn | undefined>
  put(value: StoredSignIn, key: string): unknown
  delete(key: string): unknown
}
interface Transaction {
  error: unknown
  oncomplete: () => void
  onabort: () => void
  objectStore(name: string): ObjectStore
}
interface Database {
  createObjectStore(name: string): unknown
  transaction(name: string, mode: 'readonly' | 'readwrite'): Transaction
}
interface OpenRequest extends DatabaseRequest<Database> {
  onupgradeneeded: () => void
}
declare const indexedDB: { open(name: string, version: number): OpenRequest }

const storeName = 'sign-ins'

/** A store of all tabs of the origin, in IndexedDB. */
export const browserStore = (key: string): SignInStore => {
  let database: Promise<Database> | undefined
  const open = (): Promise<Database> => {
    database ??= new Promise<Database>((resolve, reject) => {
      const request = indexedDB.open('querent', 1)
      request.onupgradeneeded = () => request.result.createObjectStore(storeName)
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
    return database
  }
  const begin = async (mode: 'readonly' | 'readwrite') => (await open()).transaction(storeName, mode)
  return {
    async read() {
      const transaction = await begin('readonly')
      return new Promise((resolve, reject) => {
        const request = transaction.objectStore(storeName).get(key)
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    },
    async write(signIn) {
      const transaction = await begin('readwrite')
      const store = transaction.objectStore(storeName)
      if (signIn) store.put(signIn, key)
      else store.delete(key)
      return new Promise((resolve, reject) => {
        transaction.oncomplete = () => resolve()
        transaction.onabort = () => reject(transaction.error)
      })
    },
  }
}

/** Reads what this package has written. Another script may have overwritten it with anything else, which counts as absent. */
export const parseJson = <T>(text: string | null): T | undefined => {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return typeof value === 'object' && value !== null ? (value as T) : undefined
  } catch {
    return undefined
  }
}
