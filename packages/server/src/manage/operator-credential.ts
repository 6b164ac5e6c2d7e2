/**
 * Credential of the local command line, which acts as the operator (`operator.json`). Each authorization
 * server has its own in its data folder and removes it when it stops. After a crash, the next start on the
 * folder removes it; otherwise it expires.
 */
import {
  addSecret,
  createClient,
  extendSecret,
  findClient,
  hashSecret,
  listSecrets,
  removeSecret,
  updateClient,
} from '#storage/clients'
import type { Storage } from '#storage/db'
import { findFirstOperator } from '#storage/users'

/** Client of the command line, the same on every machine. */
const localClientId = 'querent-local'
/** Lifetime after a crash, and without the storage. */
const lifetimeMs = 2 * 60 * 60 * 1000
const extendEveryMs = 10 * 60 * 1000

interface Dependencies {
  storage: Storage
  /** `operator.json` of the data folder. */
  file: {
    /** Secret left by a killed server, if any. */
    readFormerSecret(): Promise<string | undefined>
    write(credential: { clientId: string; clientSecret: string }): Promise<void>
    remove(): Promise<void>
  }
}

export interface OperatorCredential {
  /** Removes the credential and the file. */
  close(): Promise<void>
}

/** Throws if the storage has no operator. */
export const openOperatorCredential = async ({
  storage,
  file,
}: Dependencies): Promise<OperatorCredential> => {
  const issue = async (): Promise<string> => {
    const former = await file.readFormerSecret()
    const { id, secret } = await storage.write(async writer => {
      const operator = await findFirstOperator(writer.db)
      if (!operator) throw new Error("the storage has no operator: create a data folder with 'querent init'")
      const settings = { actsAs: operator.id }
      if (await findClient(writer.db, localClientId)) await updateClient(writer, localClientId, { settings })
      else
        await createClient(writer, {
          id: localClientId,
          kind: 'own',
          workspaceId: null,
          name: 'Command line on the server',
          settings,
        })
      for (const { id, hash, expiresAt } of await listSecrets(writer.db, [localClientId])) {
        const isOver = former !== undefined && hash === hashSecret(former)
        // Credentials of earlier versions did not expire.
        if (isOver || expiresAt === null || expiresAt < Date.now())
          await removeSecret(writer, localClientId, id)
      }
      return addSecret(writer, localClientId, Date.now() + lifetimeMs)
    })
    await file.write({ clientId: localClientId, clientSecret: secret })
    return id
  }

  let secretId = await issue()
  let extending: Promise<unknown> = Promise.resolve()
  const extend = async () => {
    const expiresAt = Date.now() + lifetimeMs
    const isExtended = await storage.write(writer => extendSecret(writer, localClientId, secretId, expiresAt))
    // Another node removed it as expired while this machine slept or its storage was unreachable.
    if (!isExtended) secretId = await issue()
  }
  const timer = setInterval(() => {
    // If the storage is unreachable, the next interval is soon enough.
    extending = extending.then(extend).catch(() => {})
  }, extendEveryMs).unref()

  return {
    async close() {
      clearInterval(timer)
      await extending
      await file.remove()
      // If the storage is unreachable, the secret expires by itself.
      await storage.write(writer => removeSecret(writer, localClientId, secretId)).catch(() => {})
    },
  }
}
