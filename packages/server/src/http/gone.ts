/** Who has gone away, and waits for no reply any more. */
import type { Socket } from 'node:net'

/** Gives signals that are aborted when a connection is gone: nobody waits for its replies any more. One for each connection. */
export const openGone = () => {
  const signals = new WeakMap<Socket, AbortSignal>()
  return (socket: Socket): AbortSignal => {
    const known = signals.get(socket)
    if (known) return known
    const gone = new AbortController()
    if (socket.destroyed) gone.abort()
    else socket.once('close', () => gone.abort())
    signals.set(socket, gone.signal)
    return gone.signal
  }
}
