/** A load balancer in this process: round robin, kept-alive connections, bodies streamed, nothing sent twice. */
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

export interface Balancer extends AsyncDisposable {
  /** Without a slash at the end. */
  url: string
  /** Origins that are sent requests, in rotation. */
  targets: string[]
}

/** How often targets are asked whether they are ready. */
const askEveryMs = 200
const hopByHop = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade'])

const passedOn = (rawHeaders: readonly string[]): string[] => {
  const headers: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!hopByHop.has(name.toLowerCase())) headers.push(name, value)
  }
  return headers
}

/**
 * Starts on a free port. `readyPath`: only targets that answer it with 200 are sent requests; without it all are. A target that cannot be
 * reached, or breaks before its reply began, is answered with 502; when no target is left, 503 without `Retry-After`: neither comes from a node.
 */
export const startBalancer = async ({ readyPath }: { readyPath?: string } = {}): Promise<Balancer> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const targets: string[] = []
  const away = new Set<string>()
  let turn = 0
  const next = (): string | undefined => {
    const ready = targets.filter(target => !away.has(target))
    return ready[turn++ % Math.max(1, ready.length)]
  }
  const answer = (reply: ServerResponse, status: number, message: string) => {
    if (reply.headersSent) reply.destroy()
    else reply.writeHead(status, { 'content-type': 'text/plain', 'querent-balancer': 'no node' }).end(message)
  }
  const pass = (asked: IncomingMessage, reply: ServerResponse) => {
    const target = next()
    if (target === undefined) {
      answer(reply, 503, 'no node is ready')
      return
    }
    const before = asked.headers['x-forwarded-for']
    const forwarded = [before, asked.socket.remoteAddress].filter(Boolean).join(', ')
    const kept = passedOn(asked.rawHeaders)
    const headers: string[] = []
    for (let at = 0; at < kept.length; at += 2)
      if (kept[at]?.toLowerCase() !== 'x-forwarded-for') headers.push(kept[at] ?? '', kept[at + 1] ?? '')
    headers.push('X-Forwarded-For', forwarded)
    const { hostname, port } = new URL(target)
    const sent = request({
      agent,
      hostname,
      port,
      method: asked.method,
      path: asked.url,
      headers,
      setDefaultHeaders: false,
    })
    sent.once('error', () => {
      if (readyPath !== undefined) away.add(target)
      answer(reply, 502, 'the node broke off')
    })
    sent.once('response', got => {
      reply.writeHead(got.statusCode ?? 502, got.statusMessage, passedOn(got.rawHeaders))
      got.once('error', () => reply.destroy())
      got.pipe(reply)
    })
    reply.once('close', () => reply.writableFinished || sent.destroy())
    asked.pipe(sent)
  }
  const server = createServer(pass).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')

  const look = async (target: string) => {
    // One that takes its time on a busy machine is slow, not away.
    const isReady = await fetch(`${target}${readyPath}`, { signal: AbortSignal.timeout(10_000) }).then(
      async reply => {
        await reply.arrayBuffer()
        return reply.status === 200
      },
      () => false,
    )
    if (isReady) away.delete(target)
    else away.add(target)
  }
  const looking =
    readyPath === undefined ? undefined : setInterval(() => targets.forEach(look), askEveryMs).unref()
  return {
    url: `http://127.0.0.1:${address.port}`,
    targets,
    async [Symbol.asyncDispose]() {
      clearInterval(looking)
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await once(server, 'close')
    },
  }
}
