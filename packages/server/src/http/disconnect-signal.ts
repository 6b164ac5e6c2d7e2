/** Who has gone away, and waits for no reply any more. */
import type { Socket } from 'node:net'

/** Gives signals that are aborted when a connection is gone: nobody waits for its replies any more. One for each connection. */
export const createDisconnectSignals = () => {
  const signals = new WeakMap<Socket, AbortSignal>()
  return (socket: Socket): AbortSignal => {
    const existingSignal = signals.get(socket)
    if (existingSignal) return existingSignal
    const controller = new AbortController()
    if (socket.destroyed) controller.abort()
    else socket.once('close', () => controller.abort())
    signals.set(socket, controller.signal)
    return controller.signal
  }
}
