/** What oidc-provider keeps between requests (sessions, codes, grants, refresh tokens, seen assertions), in the storage. */
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { Storage } from '#storage/db'
import {
  addRecord,
  consumeRecord,
  findRecord,
  type OidcRecord,
  removeRecord,
  removeRecordsOfGrant,
  saveRecord,
} from '#storage/oidc-records'
import { revoke } from '#storage/revocations'
import { longestLifetimeSeconds } from './lifetime.ts'

const find = async (
  storage: Storage,
  model: string,
  by: Parameters<typeof findRecord>[2],
): Promise<AdapterPayload | undefined> =>
  // Stored by `upsert` alone, as the library gave it.
  (await findRecord(storage.db, model, by)) as AdapterPayload | undefined

const recordOf = (model: string, id: string, payload: AdapterPayload, ttlSeconds?: number): OidcRecord => ({
  model,
  id,
  payload: { ...payload },
  ...(payload.grantId === undefined ? {} : { grantId: payload.grantId }),
  ...(payload.uid === undefined ? {} : { uid: payload.uid }),
  ...(payload.userCode === undefined ? {} : { userCode: payload.userCode }),
  ...(ttlSeconds === undefined ? {} : { expiresAt: Date.now() + ttlSeconds * 1000 }),
})

/**
 * One model's records. Clients are none of them: the library asks for those in another way (library.ts). Ending a grant ends its
 * access tokens at the query service too.
 */
export const recordAdapter =
  (storage: Storage) =>
  (model: string): Adapter => ({
    async upsert(id, payload, ttlSeconds) {
      const record = recordOf(model, id, payload, ttlSeconds)
      if (model !== 'ReplayDetection') return saveRecord(storage.db, record)
      // The library looks first and stores then; of two that come at the same time one must lose (RFC 7523, section 3, item 7).
      if (!(await addRecord(storage.db, record)))
        throw new errors.InvalidClientAuth('client assertion tokens must only be used once')
    },
    find: id => find(storage, model, { id }),
    findByUid: uid => find(storage, model, { uid }),
    findByUserCode: userCode => find(storage, model, { userCode }),
    consume: id => consumeRecord(storage.db, model, id),
    destroy: id => removeRecord(storage.db, model, id),
    revokeByGrantId: grantId =>
      storage.write(async writer => {
        await removeRecordsOfGrant(writer.db, grantId)
        await revoke(writer, 'grant', grantId, Date.now() + longestLifetimeSeconds * 1000)
      }),
  })
