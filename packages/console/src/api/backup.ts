/** Download of a backup. The browser keeps a large one on disk, not in memory. */

import { parseErrorReply } from '@querent/client'
import { createBackupReader } from '@querent/contract/backup-end'
import { type MissingDocuments, operations } from '@querent/contract/manage'
import { authUrl } from './addresses.ts'
import { managementToken } from './session.ts'

/** Resolves to the backup and to the documents that it lacks. `onReceived` receives the number of bytes so far. Rejects with `ApiError`, or if it is cut short. */
export const downloadBackup = async (
  password: string,
  onReceived: (bytes: number) => void,
  signal: AbortSignal,
): Promise<{ file: Blob; missing: MissingDocuments[] }> => {
  const { method, path } = operations.downloadBackup
  const reply = await fetch(`${authUrl}/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${await managementToken()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ password }),
    signal,
  })
  if (!reply.ok) throw parseErrorReply(reply.status, await reply.text())
  let received = 0
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(part, controller) {
      received += part.byteLength
      onReceived(received)
      controller.enqueue(part)
    },
  })
  if (!reply.body) throw new Error('the reply has no body')
  const [saved, checked] = reply.body.pipeThrough(counter).tee()
  const [file, missing] = await Promise.all([new Response(saved).blob(), readMissing(checked)])
  return { file, missing }
}

/** Unpacks the backup, and reads its last line. */
const readMissing = async (packed: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<MissingDocuments[]> => {
  const end = createBackupReader()
  const unpacked = packed.pipeThrough(new DecompressionStream('gzip')).getReader()
  for (let part = await unpacked.read(); !part.done; part = await unpacked.read()) end.add(part.value)
  return end.missing()
}
