/** Signing keys: list, rotate and withdraw. */
import { Problem } from '#errors'
import { publishedBeforeUseMs, type Withdrawal } from '#keys/key-rotation'
import { isExpired } from '#keys/keyring'
import { listSigningKeys, type SigningKeyRow } from '#storage/signing-keys'
import { audit, type Handler, timestamp } from './call.ts'

export const keyHandlers = {
  listKeys: async ({ storage }) => {
    const now = Date.now()
    const rows = (await listSigningKeys(storage.db)).filter(row => !isExpired(row, now))
    return { items: rows.map(row => describeKey(row, now)), next: null }
  },

  rotateKeys: async ({ keyRotation }, call) => {
    const { signsInSeconds = publishedBeforeUseMs / 1000 } = call.input
    const { published, signsFrom } = await keyRotation.rotate(signsInSeconds * 1000, (writer, rotation) =>
      audit(writer, call, {
        target: rotation.published.join(' '),
        detail: { signsFrom: timestamp(rotation.signsFrom) },
      }),
    )
    return { published, signsFrom: timestamp(signsFrom) }
  },

  withdrawKey: async ({ keyRotation }, call) => {
    const { kid } = call.params
    const withdrawal = await keyRotation.withdraw(kid, (writer, done) =>
      audit(writer, call, { target: kid, detail: describeSuccessor(done) }),
    )
    if (!withdrawal)
      throw new Problem('no-such-resource', `no signing key ${kid}: list them with \`querent keys list\``)
    return describeSuccessor(withdrawal)
  },
} satisfies { [Id in 'listKeys' | 'rotateKeys' | 'withdrawKey']: Handler<Id> }

const describeSuccessor = ({ published, signsFrom }: Withdrawal) => ({
  published,
  ...(signsFrom === undefined ? {} : { signsFrom: timestamp(signsFrom) }),
})

const describeKey = ({ kid, alg, active_from, retired_at }: SigningKeyRow, now: number) => ({
  kid,
  algorithm: alg,
  state:
    active_from > now
      ? ('next' as const)
      : (retired_at ?? now + 1) > now
        ? ('signs' as const)
        : ('retired' as const),
  signsFrom: timestamp(active_from),
  signsUntil: retired_at === null ? null : timestamp(retired_at),
})
