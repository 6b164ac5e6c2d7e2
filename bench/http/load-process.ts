/**
 * Generates load in a separate process, over keep-alive connections with one request each at a time. Runs one load at a time, as messages
 * request.
 */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { type LoadResult, type LoadTask, measureLatency } from './load.ts'

/** Size of the read buffer. */
const readBytes = 256 * 1024
const headEnd = Buffer.from('\r\n\r\n')
const chunksEnd = Buffer.from('0\r\n\r\n')

interface Connection {
  send(request: Buffer, startedMs: number): void
  close(): void
}

/** Receives the status of each reply, and when its request was due. */
const open = async (
  { hostname, port }: { hostname: string; port: number },
  replied: (connection: Connection, status: number, startedMs: number) => void,
  failed: (error: Error) => void,
): Promise<Connection> => {
  let startedMs = 0
  const read = createReplyReader(status => replied(connection, status, startedMs))
  const buffer = Buffer.allocUnsafe(readBytes)
  const socket: Socket = connect({
    host: hostname,
    port,
    noDelay: true,
    onread: {
      buffer,
      callback: count => {
        read(buffer.subarray(0, count))
        return true
      },
    },
  })
  const connection: Connection = {
    send(request, startMs) {
      startedMs = startMs
      socket.write(request)
    },
    close: () => socket.destroy(),
  }
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  socket.on('error', failed)
  socket.on('end', () => failed(new Error('the server closed a connection')))
  return connection
}

/** Returns a function that reads the chunks of replies, and calls `onEnd` with the status of each. */
const createReplyReader = (onEnd: (status: number) => void) => {
  let status = 0
  /** Bytes of an incomplete head. */
  let pendingChunk: Buffer | undefined
  /** Remaining bytes of the body; -1: until the last chunk. */
  let rest = 0
  let inBody = false
  /** Returns the bytes after the head; undefined if it is incomplete. */
  const readHead = (chunk: Buffer): Buffer | undefined => {
    const head = pendingChunk ? Buffer.concat([pendingChunk, chunk]) : chunk
    const end = head.indexOf(headEnd)
    pendingChunk = end < 0 ? Buffer.from(head) : undefined
    if (end < 0) return undefined
    const text = head.toString('latin1', 0, end)
    status = Number(text.slice(9, 12))
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
    rest = status === 304 || status === 204 ? 0 : length === undefined ? -1 : Number(length)
    inBody = true
    return head.subarray(end + headEnd.length)
  }
  return (chunk: Buffer): void => {
    const body = inBody ? chunk : readHead(chunk)
    if (!body) return
    if (rest >= 0) rest -= body.length
    if (rest === 0 || (rest < 0 && body.subarray(-chunksEnd.length).equals(chunksEnd))) {
      inBody = false
      onEnd(status)
    }
  }
}

const requestBytes = (
  host: string,
  { method = 'GET', path, headers = {}, body }: LoadTask['requests'][number],
) => {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const lines = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
}

/** Milliseconds that this process was ready but did not run (Linux, sched-stats: the second number of schedstat); NaN elsewhere. */
const waitedMs = (): number => {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1_000_000
  } catch {
    return Number.NaN
  }
}

const run = ({
  url,
  requests,
  atOnce,
  seconds,
  perSecond,
  status: wanted = 200,
}: LoadTask): Promise<LoadResult> =>
  new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(url)
    const bytes = requests.map(request => requestBytes(host, request))
    const latenciesMs: number[] = []
    const connections: Connection[] = []
    const idle: Connection[] = []
    let next = 0
    let startMs = 0
    let waitedBeforeMs = 0
    let endMs = Number.POSITIVE_INFINITY
    let busy = 0
    const finish = (settle: () => void) => {
      endMs = 0
      for (const connection of connections) connection.close()
      settle()
    }
    const fail = (error: Error) => finish(() => reject(new Error(`${url}: ${error.message}`)))
    const done = () =>
      finish(() => {
        const rate = latenciesMs.length / seconds
        const starved = (waitedMs() - waitedBeforeMs) / (performance.now() - startMs)
        resolve({ requests: latenciesMs.length, perSecond: rate, ...measureLatency(latenciesMs), starved })
      })
    const send = (connection: Connection, startedMs: number) => {
      const request = bytes[next++ % bytes.length]
      if (!request) return fail(new Error('a run without requests'))
      busy++
      connection.send(request, startedMs)
    }
    const replied = (connection: Connection, status: number, startedMs: number) => {
      const nowMs = performance.now()
      busy--
      if (status !== wanted) return fail(new Error(`it answered ${status}, not ${wanted}`))
      // Late replies count for the latency. For the rate, only the time of a closed loop counts.
      if (nowMs <= endMs || perSecond !== undefined) latenciesMs.push(nowMs - startedMs)
      if (perSecond !== undefined) idle.push(connection)
      else if (nowMs < endMs) send(connection, nowMs)
      else if (busy === 0) done()
    }
    /** Open loop: requests start when they are due, whatever happened to earlier ones. Latency counts from that time. */
    const pace = () => {
      const nowMs = performance.now()
      const nextSendMs = () => startMs + (1000 * next) / (perSecond ?? 1)
      while (nextSendMs() <= Math.min(nowMs, endMs) && idle.length > 0) {
        const connection = idle.pop()
        if (connection) send(connection, nextSendMs())
      }
      if (nowMs < endMs || busy > 0) setImmediate(pace)
      else if (endMs > 0) done()
    }
    const begin = async () => {
      for (let count = 0; count < atOnce; count++)
        connections.push(await open({ hostname, port: Number(port) }, replied, fail))
      startMs = performance.now()
      waitedBeforeMs = waitedMs()
      endMs = startMs + 1000 * seconds
      if (perSecond === undefined) for (const connection of connections) send(connection, startMs)
      else {
        idle.push(...connections)
        pace()
      }
    }
    begin().catch(reject)
  })

process.on('message', async (task: LoadTask) => {
  try {
    process.send?.(await run(task))
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) })
  }
})
process.on('disconnect', () => process.exit())
