/** Hand-written HTTP, for requests that no HTTP library sends. */
import { connect, type Socket } from 'node:net'

/** Longer than any query may take, and than the server lingers on a rejected connection. */
const hangMs = 30_000

export interface Answer {
  status: number
  /** Header lines, lower case. */
  head: string
  body: string
}

/** A connection had no reply within the time in which every request gets one. */
export class HangError extends Error {}

/** Parses the first complete reply of `bytes`, or returns undefined if it is incomplete. `end` is the start of the next one. */
const readAnswer = (bytes: Buffer, method: string): { answer: Answer; end: number } | undefined => {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = bytes.toString('latin1', 0, headEnd).toLowerCase()
  const status = Number(/^http\/1\.[01] (\d{3})/.exec(head)?.[1] ?? Number.NaN)
  const start = headEnd + 4
  if (status === 100) return readNext(bytes, start, method)
  const isEmpty = method === 'HEAD' || status === 204 || status === 304
  const length = isEmpty ? 0 : Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? Number.NaN)
  if (Number.isNaN(length)) {
    const last = bytes.indexOf('0\r\n\r\n', start)
    if (!head.includes('transfer-encoding: chunked') || last < 0) return undefined
    return { answer: { status, head, body: bytes.toString('utf8', start, last) }, end: last + 5 }
  }
  if (bytes.length < start + length) return undefined
  return {
    answer: { status, head, body: bytes.toString('utf8', start, start + length) },
    end: start + length,
  }
}

const readNext = (bytes: Buffer, start: number, method: string) => {
  const next = readAnswer(bytes.subarray(start), method)
  return next && { answer: next.answer, end: start + next.end }
}

export interface PersistentSocket {
  /** Sends one complete request and returns its reply, or undefined if the server closed the connection instead. */
  ask(request: Buffer, method: string): Promise<Answer | undefined>
  close(): void
}

/** A connection that is kept alive, and opened again after the server closes it. */
export const openPersistentSocket = (port: number): PersistentSocket => {
  let socket: Socket | undefined
  return {
    ask: (request, method) =>
      new Promise((resolve, reject) => {
        const connection =
          socket && !socket.destroyed && socket.writable ? socket : connect(port, '127.0.0.1')
        socket = connection
        let bytes = Buffer.alloc(0)
        const done = (settle: () => void) => {
          connection.removeAllListeners('data').removeAllListeners('close').removeAllListeners('error')
          connection.removeAllListeners('timeout').on('error', () => {})
          settle()
        }
        connection.setTimeout(hangMs, () =>
          done(() => reject(new HangError(request.toString('latin1', 0, 500)))),
        )
        connection.on('error', () => {})
        connection.on('close', () => done(() => resolve(readAnswer(bytes, method)?.answer)))
        connection.on('data', part => {
          bytes = Buffer.concat([bytes, part])
          const read = readAnswer(bytes, method)
          if (!read) return
          // A connection that closes, or has extra bytes, is not used again.
          if (/\r\nconnection: close/.test(read.answer.head) || read.end < bytes.length) connection.destroy()
          done(() => resolve(read.answer))
        })
        connection.write(request)
      }),
    close: () => socket?.destroy(),
  }
}

/** Sends raw bytes on a new connection, ends it, and returns everything until the server closes. */
export const sendBytes = (port: number, bytes: Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const parts: Buffer[] = []
    socket.setTimeout(hangMs, () => {
      socket.destroy()
      reject(new HangError(bytes.toString('latin1', 0, 500)))
    })
    // A server may cut off endless input.
    socket.on('error', () => {})
    socket.on('data', part => parts.push(part))
    socket.once('close', () => resolve(Buffer.concat(parts).toString('latin1')))
    socket.end(bytes)
  })
