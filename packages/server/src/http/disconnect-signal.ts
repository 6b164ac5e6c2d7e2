/** Signals for clients that disconnect before their reply. */
import type { Socket } from 'node:net'

/** Returns a function that gives each connection one signal. The signal is aborted when the connection closes. */
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
