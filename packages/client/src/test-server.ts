import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'

/** Starts a small real server for one test and returns its origin. It stops after the test. */
export const listen = (
  t: TestContext,
  handle: (request: IncomingMessage, reply: ServerResponse) => void | Promise<void>,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const server = createServer((request, reply) => {
      void handle(request, reply)
    })
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('no port'))
      else resolve(`http://127.0.0.1:${address.port}`)
    })
  })

export const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

export const sendJson = (reply: ServerResponse, status: number, body: unknown): void => {
  reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
