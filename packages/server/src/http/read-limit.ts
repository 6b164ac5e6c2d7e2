/**
 * Bounds the requests that are read in one turn of the event loop. A thousand connections with a request each would otherwise be read in one
 * turn, and whoever comes next would wait for all of them. Connections whose requests come later in a turn stop reading, and take turns
 * afterwards, round robin over the addresses. Their requests wait in the buffers of the system meanwhile: nothing is lost or reordered.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that are read in a turn: about a millisecond of work. Those that a client sent on one connection at once may be more. */
export const perTurnMax = 32

export interface ReadLimit {
  /** Call it for each request, when it was read. */
  countRequest(): void
  /** Reads from all connections again, and stops no more: the server ends. */
  close(): void
}

type Connection = Pick<Socket, 'remoteAddress' | 'isPaused' | 'pause' | 'resume' | 'once'>

/** Connections of an address that stopped reading, in the order of their turns. */
type Stopped = Map<string, Set<Connection>>

export const createReadLimit = (server: Pick<Server, 'on'>): ReadLimit => {
  const open = new Set<Connection>()
  const stopped: Stopped = new Map()
  let readInTurn = 0
  let isClosed = false
  let isScheduled = false

  const endTurn = (): void => {
    isScheduled = false
    readInTurn = 0
    for (let count = 0; count < perTurnMax && stopped.size > 0; count++) takeNext(stopped)?.resume()
    if (stopped.size > 0) schedule()
  }
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(endTurn)
  }
  const stopReading = (): void => {
    for (const connection of open) {
      if (connection.isPaused()) continue
      connection.pause()
      add(stopped, connection)
    }
  }
  server.on('connection', (connection: Connection) => {
    open.add(connection)
    connection.once('close', () => {
      open.delete(connection)
      remove(stopped, connection)
    })
  })
  return {
    countRequest() {
      readInTurn += 1
      schedule()
      if (readInTurn === perTurnMax && !isClosed) stopReading()
    },
    close() {
      isClosed = true
      while (stopped.size > 0) takeNext(stopped)?.resume()
    },
  }
}

const add = (stopped: Stopped, connection: Connection): void => {
  const address = connection.remoteAddress ?? ''
  const connections = stopped.get(address)
  if (connections) connections.add(connection)
  else stopped.set(address, new Set([connection]))
}

/** Removes the connection whose turn it is. The next one of its address comes after those of all other addresses. */
const takeNext = (stopped: Stopped): Connection | undefined => {
  for (const [address, connections] of stopped) {
    stopped.delete(address)
    for (const connection of connections) {
      connections.delete(connection)
      if (connections.size > 0) stopped.set(address, connections)
      return connection
    }
  }
  return undefined
}

const remove = (stopped: Stopped, connection: Connection): void => {
  for (const [address, connections] of stopped)
    if (connections.delete(connection) && connections.size === 0) stopped.delete(address)
}
