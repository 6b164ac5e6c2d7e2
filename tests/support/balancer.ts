/** A load balancer in this process: round robin, keep-alive connections, streamed bodies, no retries. */
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

export interface Balancer extends AsyncDisposable {
  /** Without a trailing slash. */
  url: string
  /** Origins that receive requests, in rotation. */
  targets: string[]
}

/** Interval of the readiness checks. */
const readyCheckIntervalMs = 200
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'])

const removeHopByHopHeaders = (rawHeaders: readonly string[]): string[] => {
  const headers: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    if (!hopByHop.has(name.toLowerCase())) headers.push(name, value)
  }
  return headers
}

/**
 * Starts on a free port. With `readyPath`, only targets that reply to it with 200 receive requests; without it, all do. The balancer
 * replies with 502 if a target cannot be reached or breaks before its reply starts, and with 503 without `Retry-After` if no target is
 * left. Nodes never send either reply.
 */
export const startBalancer = async ({ readyPath }: { readyPath?: string } = {}): Promise<Balancer> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const targets: string[] = []
  const unavailable = new Set<string>()
  let nextIndex = 0
  const pickTarget = (): string | undefined => {
    const ready = targets.filter(target => !unavailable.has(target))
    return ready[nextIndex++ % Math.max(1, ready.length)]
  }
  const sendError = (reply: ServerResponse, status: number, message: string) => {
    if (reply.headersSent) reply.destroy()
    else reply.writeHead(status, { 'content-type': 'text/plain', 'querent-balancer': 'no node' }).end(message)
  }
  const forward = (incoming: IncomingMessage, reply: ServerResponse) => {
    const target = pickTarget()
    if (target === undefined) {
      sendError(reply, 503, 'no node is ready')
      return
    }
    const forwardedFor = incoming.headers['x-forwarded-for']
    const forwardedForHeader = [forwardedFor, incoming.socket.remoteAddress].filter(Boolean).join(', ')
    const forwardable = removeHopByHopHeaders(incoming.rawHeaders)
    const headers: string[] = []
    for (let index = 0; index < forwardable.length; index += 2)
      if (forwardable[index]?.toLowerCase() !== 'x-forwarded-for')
        headers.push(forwardable[index] ?? '', forwardable[index + 1] ?? '')
    headers.push('X-Forwarded-For', forwardedForHeader)
    const { hostname, port } = new URL(target)
    const outgoing = request({
      agent,
      hostname,
      port,
      method: incoming.method,
      path: incoming.url,
      headers,
      setDefaultHeaders: false,
    })
    outgoing.once('error', () => {
      if (readyPath !== undefined) unavailable.add(target)
      sendError(reply, 502, 'the node broke off')
    })
    outgoing.once('response', response => {
      reply.writeHead(
        response.statusCode ?? 502,
        response.statusMessage,
        removeHopByHopHeaders(response.rawHeaders),
      )
      response.once('error', () => reply.destroy())
      response.pipe(reply)
    })
    reply.once('close', () => reply.writableFinished || outgoing.destroy())
    incoming.pipe(outgoing)
  }
  const server = createServer(forward).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')

  const checkReady = async (target: string) => {
    // A target that is slow on a busy machine is not away.
    const isReady = await fetch(`${target}${readyPath}`, { signal: AbortSignal.timeout(10_000) }).then(
      async reply => {
        await reply.arrayBuffer()
        return reply.status === 200
      },
      () => false,
    )
    if (isReady) unavailable.delete(target)
    else unavailable.add(target)
  }
  const readyTimer =
    readyPath === undefined
      ? undefined
      : setInterval(() => targets.forEach(checkReady), readyCheckIntervalMs).unref()
  return {
    url: `http://127.0.0.1:${address.port}`,
    targets,
    async [Symbol.asyncDispose]() {
      clearInterval(readyTimer)
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await once(server, 'close')
    },
  }
}
