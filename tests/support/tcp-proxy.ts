/** Stands between a node and a server it uses (PostgreSQL, OpenSearch), and does to the connection what networks do. */
import { once } from 'node:events'
import { createServer, type Socket, connect as socketTo } from 'node:net'

type Mode = 'pass' | 'hang' | 'refuse'

export interface TcpProxy extends AsyncDisposable {
  port: number
  /** The address of the server with the proxy's place in it: `postgres://user@127.0.0.1:PORT/name`. */
  rewriteUrl(url: string): string
  /** As if it were not there; what was held back goes on. */
  pass(): void
  /** The network is gone without a word: connections stay open, new ones are taken, and nothing goes through. */
  hang(): void
  /** Connections are reset, new ones too. */
  refuse(): void
  /** Connections are reset; new ones are as before. */
  cut(): void
  /** What is sent to the server arrives so much later: each round trip takes longer by that. 0: at once. */
  delay(ms: number): void
}

/** A proxy on a free port of this machine. */
export const startTcpProxy = async (upstreamAddress: { host: string; port: number }): Promise<TcpProxy> => {
  let mode: Mode = 'pass'
  let delayMs = 0
  const sockets = new Set<Socket>()
  /** What is held back while it hangs, in its order. */
  let queued: (() => void)[] = []
  const runWhenPassing = (act: () => void) => (mode === 'hang' ? queued.push(act) : act())
  const pipe = (source: Socket, target: Socket, delayed: boolean) => {
    let lastAt = 0
    const schedule = (act: () => void) => {
      const dueAt = delayed ? performance.now() + delayMs : 0
      // Never before what was sent earlier.
      lastAt = Math.max(dueAt, lastAt)
      const waitMs = lastAt - performance.now()
      if (waitMs > 0) setTimeout(() => runWhenPassing(act), waitMs)
      else runWhenPassing(act)
    }
    source.on('data', chunk => schedule(() => void target.write(chunk)))
    source.on('end', () => schedule(() => target.end()))
    source.on('error', () => {})
    source.on('close', () => {
      sockets.delete(source)
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
      for (const act of queued.splice(0)) act()
    },
    hang() {
      mode = 'hang'
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
