/** A query service for tests, on parts that the test opens. */
import { authUrl, baseUrl } from '#authz/test-tokens'
import { listen, openApp } from '#http/server'
import type { QueryDependencies } from './query-context.ts'
import { registerQueries, rewriteQueryUrl } from './route.ts'

type Defaults =
  | 'origin'
  | 'authUrl'
  | 'origins'
  | 'clientAddress'
  | 'cursorKey'
  | 'queryTimeoutMs'
  | 'requestsPerMinute'
  | 'queryShortcut'
  | 'concurrentMax'
  | 'waitingMax'

/** Serves queries on a free port. No origins are registered, every caller has one address, and there is no rate limit, unless `deps` say otherwise. */
export const serveQueries = async (deps: Omit<QueryDependencies, Defaults> & Partial<QueryDependencies>) => {
  const listening = await listen('127.0.0.1', 0)
  const { app, listener } = openApp(listening, {
    logLevel: 'silent',
    logStream: process.stderr,
    trustedProxy: [],
    rewriteUrl: rewriteQueryUrl,
  })
  const withQueries = registerQueries(app, {
    origin: baseUrl,
    authUrl,
    origins: { registeredIn: async () => false, close: () => {} } as never,
    clientAddress: () => '127.0.0.1',
    cursorKey: Buffer.alloc(32),
    queryTimeoutMs: 5000,
    requestsPerMinute: 'off',
    queryShortcut: 'on',
    concurrentMax: 8,
    waitingMax: 8,
    ...deps,
  })
  await app.ready()
  listening.setListener(withQueries(listener()))
  return {
    port: listening.port,
    async close() {
      await listening.close()
      await app.close()
    },
  }
}
