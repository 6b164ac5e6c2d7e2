/** Download of a backup. The browser keeps a large one on disk, not in memory. */
import { parseErrorReply } from '@querent/client'
import { operations } from '@querent/contract/manage'
import { authUrl } from './addresses.ts'
import { managementToken } from './session.ts'

/** Resolves to the complete backup. `onReceived` receives the number of bytes so far. Rejects with `ApiError`, or if it is cut short. */
export const downloadBackup = async (
  password: string,
  onReceived: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Blob> => {
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
  return new Response(reply.body?.pipeThrough(counter) ?? null).blob()
}
