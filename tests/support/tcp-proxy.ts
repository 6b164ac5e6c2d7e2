/** A proxy between a node and a backend (PostgreSQL, OpenSearch), which simulates network faults. */
import { once } from 'node:events'
import { createServer, type Socket, connect as socketTo } from 'node:net'

type Mode = 'pass' | 'hang' | 'refuse'

export interface TcpProxy extends AsyncDisposable {
  port: number
  /** Rewrites the server's address to the proxy's: `postgres://user@127.0.0.1:PORT/name`. */
  rewriteUrl(url: string): string
  /** Forwards normally, including data that was held back. */
  pass(): void
  /** Simulates a silent network failure: connections stay open, new ones are accepted, and nothing is forwarded. */
  hang(): void
  /** The same for the connections that are open now. New ones work. */
  hangOpen(): void
  /** Resets connections, including new ones. */
  refuse(): void
  /** Resets connections. New ones work. */
  cut(): void
  /** Delays data to the server, which makes each round trip longer. 0: no delay. */
  delay(ms: number): void
}

/** Starts a proxy on a free port of this machine. */
export const startTcpProxy = async (upstreamAddress: { host: string; port: number }): Promise<TcpProxy> => {
  let mode: Mode = 'pass'
  let delayMs = 0
  const sockets = new Set<Socket>()
  /** Data held back while it hangs, in its order. */
  let queued: (() => void)[] = []
  const hangingSockets = new Set<Socket>()
  const runWhenPassing = (act: () => void, socket?: Socket) =>
    mode === 'hang' || (socket && hangingSockets.has(socket)) ? queued.push(act) : act()
  const pipe = (source: Socket, target: Socket, delayed: boolean) => {
    let lastAt = 0
    const schedule = (act: () => void) => {
      const dueAt = delayed ? performance.now() + delayMs : 0
      // Never overtakes earlier data.
      lastAt = Math.max(dueAt, lastAt)
      const waitMs = lastAt - performance.now()
      if (waitMs > 0) setTimeout(() => runWhenPassing(act, source), waitMs)
      else runWhenPassing(act, source)
    }
    source.on('data', chunk => schedule(() => void target.write(chunk)))
    source.on('end', () => schedule(() => target.end()))
    source.on('error', () => {})
    source.on('close', () => {
      sockets.delete(source)
      hangingSockets.delete(source)
      schedule(() => target.destroy())
    })
  }
  const server = createServer({ allowHalfOpen: true }, client => {
    client.on('error', () => {})
    if (mode === 'refuse') {
      client.resetAndDestroy()
      return
    }
    sockets.add(client)
    runWhenPassing(() => {
      if (client.destroyed) return
      const upstream = socketTo({ ...upstreamAddress, allowHalfOpen: true, noDelay: true })
      sockets.add(upstream)
      pipe(client, upstream, true)
      pipe(upstream, client, false)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { port } = address
  const cut = () => {
    queued = []
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port,
    rewriteUrl(url) {
      const proxiedUrl = new URL(url)
      proxiedUrl.hostname = '127.0.0.1'
      proxiedUrl.port = String(port)
      return proxiedUrl.href.replace(/\/$/, '')
    },
    pass() {
      mode = 'pass'
      hangingSockets.clear()
      for (const act of queued.splice(0)) act()
    },
    hang() {
      mode = 'hang'
    },
    hangOpen() {
      for (const socket of sockets) hangingSockets.add(socket)
    },
    refuse() {
      mode = 'refuse'
      cut()
    },
    cut,
    delay(ms) {
      delayMs = ms
    },
    async [Symbol.asyncDispose]() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
