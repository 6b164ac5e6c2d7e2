/** Stands between a node and a server it uses (PostgreSQL, OpenSearch), and does to the connection what networks do. */
import { once } from 'node:events'
import { createServer, type Socket, connect as socketTo } from 'node:net'

type Mode = 'pass' | 'hang' | 'refuse'

export interface TcpProxy extends AsyncDisposable {
  port: number
  /** The address of the server with the proxy's place in it: `postgres://user@127.0.0.1:PORT/name`. */
  through(url: string): string
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
export const startTcpProxy = async (to: { host: string; port: number }): Promise<TcpProxy> => {
  let mode: Mode = 'pass'
  let delayMs = 0
  const open = new Set<Socket>()
  /** What is held back while it hangs, in its order. */
  let held: (() => void)[] = []
  const whenPassing = (act: () => void) => (mode === 'hang' ? held.push(act) : act())
  const join = (from: Socket, into: Socket, delayed: boolean) => {
    let lastAt = 0
    const later = (act: () => void) => {
      const at = delayed ? performance.now() + delayMs : 0
      // Never before what was sent earlier.
      lastAt = Math.max(at, lastAt)
      const waitMs = lastAt - performance.now()
      if (waitMs > 0) setTimeout(() => whenPassing(act), waitMs)
      else whenPassing(act)
    }
    from.on('data', chunk => later(() => void into.write(chunk)))
    from.on('end', () => later(() => into.end()))
    from.on('error', () => {})
    from.on('close', () => {
      open.delete(from)
      later(() => into.destroy())
    })
  }
  const server = createServer({ allowHalfOpen: true }, client => {
    client.on('error', () => {})
    if (mode === 'refuse') {
      client.resetAndDestroy()
      return
    }
    open.add(client)
    whenPassing(() => {
      if (client.destroyed) return
      const upstream = socketTo({ ...to, allowHalfOpen: true, noDelay: true })
      open.add(upstream)
      join(client, upstream, true)
      join(upstream, client, false)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { port } = address
  const cut = () => {
    held = []
    for (const socket of open) socket.resetAndDestroy()
  }
  return {
    port,
    through(url) {
      const through = new URL(url)
      through.hostname = '127.0.0.1'
      through.port = String(port)
      return through.href.replace(/\/$/, '')
    },
    pass() {
      mode = 'pass'
      for (const act of held.splice(0)) act()
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
