/** Starts PostgreSQL for a peer, on the servers' core, because its work counts as the peer's. It does not sync to disk. */
import { join } from 'node:path'
import { serverCore, startPinned } from '#bench/http/pinned'

export interface Database extends AsyncDisposable {
  /** `postgres://user:password@127.0.0.1:5432/name` */
  url: string
}

export const startPostgres = async (): Promise<Database> => {
  const pinned = startPinned(serverCore, process.execPath, [join(import.meta.dirname, 'postgres-process.ts')])
  const { url } = await pinned.message<{ url: string }>()
  return { url, [Symbol.asyncDispose]: pinned.stop }
}
