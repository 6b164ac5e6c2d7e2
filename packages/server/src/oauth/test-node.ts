/** For tests: another node of a test server, with its own connection to the same PostgreSQL database. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { testSettings } from '#authz/test-tokens'
import { openAccessParts } from '#parts'
import { openStorage } from '#storage/db'
import { openAuthorizationServer } from './provider/provider.ts'
import type { TestServer } from './test-server.ts'

export const openTestNode = async (
  server: Pick<TestServer, 'authUrl' | 'baseUrl' | 'secretKey' | 'dependencies' | 'raw'>,
  connection: string,
) => {
  const { authUrl, baseUrl, secretKey, dependencies } = server
  const storage = await openStorage({ connection })
  const { accessTokenAlgorithm } = dependencies
  const parts = await openAccessParts(storage, {
    ...testSettings,
    ...{ authUrl, baseUrl, secretKey, accessTokenAlgorithm },
  })
  const node = await openAuthorizationServer({ ...dependencies, ...parts })
  const http = createServer((request, response) => node.handle(request, response))
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  // A TCP server has an address of this form once it listens.
  const { port } = http.address() as AddressInfo
  return {
    storage,
    url: `http://127.0.0.1:${port}`,
    /** Sends these bytes to this node (test-server.ts). */
    raw: (head: string, body = '') => server.raw(head, body, port),
    /** POSTs a form body to this node. */
    form: (path: string, body: string, ...fields: string[]) =>
      server.raw(
        [
          `POST ${path} HTTP/1.1`,
          'Content-Type: application/x-www-form-urlencoded',
          `Content-Length: ${Buffer.byteLength(body)}`,
          ...fields,
        ].join('\r\n'),
        body,
        port,
      ),
    async close() {
      await new Promise(resolve => {
        http.close(resolve)
        http.closeAllConnections()
      })
      await node.close()
      await parts.close()
      await storage.close()
    },
  }
}
