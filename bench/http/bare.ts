/** The least that answers over HTTP: node:http, and one function for each request. Floors and peers in JavaScript stand behind it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Serves on a free port of this machine, and tells the process that started this one which: `{url}`. */
export const serveBare = (answer: (request: IncomingMessage, response: ServerResponse) => void): void => {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1', () => {
    // A listening TCP server has an address of this kind.
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
