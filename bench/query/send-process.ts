/** An importing client: for each message, sends a file to the documents address once, and reports how long the reply took. */
import { openAsBlob } from 'node:fs'

export interface SendTask {
  url: string
  token: string
  path: string
}

export interface SendResult {
  accepted: number
  seconds: number
}

process.on('message', async ({ url, token, path }: SendTask) => {
  const body = await openAsBlob(path)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' }
  const startMs = performance.now()
  const reply = await fetch(url, { method: 'POST', headers, body })
  const text = await reply.text()
  if (reply.status !== 200) throw new Error(`${reply.status} ${text}`)
  // The contract's reply to an import.
  const { accepted } = JSON.parse(text) as { accepted: number }
  process.send?.({ accepted, seconds: (performance.now() - startMs) / 1000 } satisfies SendResult)
})
process.on('disconnect', () => process.exit())
