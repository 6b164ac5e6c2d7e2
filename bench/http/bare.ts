/** The minimal HTTP server: node:http, and one function per request. Floors and JavaScript peers use it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Serves on a free port of this machine, and reports `{url}` to the parent process. */
export const serveBare = (answer: (request: IncomingMessage, response: ServerResponse) => void): void => {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1', () => {
    // A listening TCP server has an address of this form.
    const { port } = server.address() as AddressInfo
    process.send?.({ url: `http://127.0.0.1:${port}` })
  })
  process.on('disconnect', () => process.exit())
}

const type = 'application/json; charset=utf-8'

export const sendJson = (response: ServerResponse, body: string | Buffer): void => {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
