/** For tests: a name server on loopback that knows TXT records (RFC 1035, section 4). */
import { createSocket } from 'node:dgram'

type Answer = string[] | 'no-such-domain' | 'failure' | 'silence'

const textType = 16
const responseCodes = { 'no-such-domain': 3, failure: 2 }

/** Returns the questioned name, and where the question ends. */
const readQuestion = (query: Buffer): { name: string; type: number; end: number } => {
  const labels: string[] = []
  let offset = 12
  for (let length = query[offset] ?? 0; length > 0; length = query[offset] ?? 0) {
    labels.push(query.toString('ascii', offset + 1, offset + 1 + length))
    offset += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(offset + 1), end: offset + 5 }
}

/** A text of up to 255 bytes is one character string; longer ones are several. */
const writeText = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const parts: Buffer[] = []
  for (let start = 0; start < bytes.length; start += 255) {
    const part = bytes.subarray(start, start + 255)
    parts.push(Buffer.from([part.length]), part)
  }
  return Buffer.concat(parts)
}

export const openTestDns = async () => {
  const answers = new Map<string, Answer>()
  const socket = createSocket('udp4')
  socket.on('message', (query, { address, port }) => {
    const { name, type, end } = readQuestion(query)
    const answer = answers.get(name) ?? 'no-such-domain'
    if (answer === 'silence') return
    const texts = Array.isArray(answer) && type === textType ? answer : []
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8180 | (Array.isArray(answer) ? 0 : responseCodes[answer]), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(texts.length, 6)
    const records = texts.map(text => {
      const data = writeText(text)
      // A pointer to the name of the question; TXT, IN, 60 seconds.
      const head = Buffer.from([0xc0, 12, 0, textType, 0, 1, 0, 0, 0, 60, 0, 0])
      head.writeUInt16BE(data.length, 10)
      return Buffer.concat([head, data])
    })
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), port, address)
  })
  await new Promise<void>(resolve => socket.bind(0, '127.0.0.1', resolve))
  return {
    server: `127.0.0.1:${socket.address().port}`,
    answers,
    close: () => new Promise<void>(resolve => socket.close(() => resolve())),
  }
}
