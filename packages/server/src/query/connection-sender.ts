/** Remembers who sends requests on a connection. */

/** The properties of a socket that matter here. */
export interface Connection {
  pause(): unknown
  resume(): unknown
  /** On the socket itself, because a map of sockets would cost more than the rest. */
  [senderKey]?: Sender
}

const senderKey: unique symbol = Symbol('sender')

interface Sender {
  name: string
  /** Requests of this sender since those of another. */
  inARow: number
  /** Requests of several senders came, as from a proxy or from a server with many people. */
  isShared: boolean
}

/** After this many requests of one sender in a row, the connection is no longer shared: a program has a new token. */
const inARowMin = 16

/** Call it for each request. */
export const countRequest = (connection: Connection, name: string): void => {
  const sender = connection[senderKey]
  if (!sender) connection[senderKey] = { name, inARow: 1, isShared: false }
  else if (sender.name === name) sender.inARow += 1
  else Object.assign(sender, { name, inARow: 1, isShared: true })
}

/** Whether the next request will probably come from the same sender. */
export const isOfOneSender = (connection: Connection): boolean => {
  const sender = connection[senderKey]
  return sender !== undefined && (!sender.isShared || sender.inARow >= inARowMin)
}
