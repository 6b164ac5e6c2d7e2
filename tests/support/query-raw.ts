/** Sends a GET without a URL library, so that `.`, `%2f` and broken encoding arrive unchanged. */
import { Agent, type OutgoingHttpHeaders, request } from 'node:http'

export interface RawReply {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

export const rawRequest = (
  origin: string,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: OutgoingHttpHeaders } = {},
): Promise<RawReply> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const outgoing = request({ hostname, port, path, method, headers, agent }, reply => {
      const parts: Buffer[] = []
      reply.on('data', part => parts.push(part))
      reply.once('error', reject)
      reply.once('end', () =>
        resolve({
          status: reply.statusCode ?? 0,
          headers: reply.headers,
          text: Buffer.concat(parts).toString(),
        }),
      )
    })
    outgoing.once('error', reject)
    outgoing.end()
  })

/** Closes the kept connections. */
export const closeRaw = (): void => agent.destroy()
