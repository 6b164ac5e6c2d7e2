/**
 * The credential by which the command line on this machine works as the operator (`operator.json`). Each authorization server has one of
 * its own, in its data folder. It ends with the server; that of one that was killed is taken back by the next start on its folder, and
 * ends by itself where there is none.
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

/** The command line's own client, on every machine. */
const localClientId = 'querent-local'
/** So long it outlives a server that was killed, and can do without the storage. */
const lifetimeMs = 2 * 60 * 60 * 1000
const extendEveryMs = 10 * 60 * 1000

interface Dependencies {
  storage: Storage
  /** `operator.json` of the data folder. */
  file: {
    /** The secret that a killed server left; undefined: there is none. */
    readFormerSecret(): Promise<string | undefined>
    write(credential: { clientId: string; clientSecret: string }): Promise<void>
    remove(): Promise<void>
  }
}

export interface OperatorCredential {
  /** Ends it, and removes the file. */
  close(): Promise<void>
}

/** Throws when the storage has no operator. */
export const openOperatorCredential = async ({
  storage,
  file,
}: Dependencies): Promise<OperatorCredential> => {
  const issue = async (): Promise<string> => {
    const former = await file.readFormerSecret()
    const { id, secret } = await storage.write(async writer => {
      const operator = await findFirstOperator(writer.db)
      if (!operator) throw new Error("the storage has no operator: make a data folder with 'querent init'")
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
        // Those of earlier versions had no end.
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
    // Another node took it for expired, while this machine slept or its storage was away.
    if (!isExtended) secretId = await issue()
  }
  const timer = setInterval(() => {
    // Storage that is away: the next time is soon enough.
    extending = extending.then(extend).catch(() => {})
  }, extendEveryMs).unref()

  return {
    async close() {
      clearInterval(timer)
      await extending
      await file.remove()
      // Storage that is away: it ends by itself.
      await storage.write(writer => removeSecret(writer, localClientId, secretId)).catch(() => {})
    },
  }
}
