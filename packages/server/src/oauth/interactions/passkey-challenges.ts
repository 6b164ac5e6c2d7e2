/**
 * Challenges of passkeys. A challenge is a MAC of its time and of the form that it is for, so that an open page stores nothing. Once it has
 * served, its hash is stored, so that it works once on all nodes.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { Keyring } from '#keys/keyring'
import { interactionSeconds } from '#oauth/library/lifetime'
import type { Log } from '#oauth/library/log'
import type { Db } from '#storage/db'
import { addRecord } from '#storage/oidc-records'
import { isSameText } from './forgery.ts'

/** Request of a page with a form for passkeys. Its forgery token ties challenges to browser and path. */
export interface FormRequest {
  token: string
}

type Purpose = 'get' | 'create'

const randomLength = 16
const timeLength = 6
/** As long as a page may stay open. */
const challengeMs = interactionSeconds * 1000

export const createPasskeyChallenges = (db: Db, keyring: Pick<Keyring, 'derive'>, log: Log) => {
  const key = keyring.derive('passkey challenges')

  const computeMac = (start: Buffer, purpose: Purpose, { token }: FormRequest): Buffer =>
    createHmac('sha256', key).update(start).update(`${purpose} ${token}`).digest()

  const isOurs = (challenge: string, purpose: Purpose, pageRequest: FormRequest): boolean => {
    const bytes = Buffer.from(challenge, 'base64url')
    if (bytes.length <= randomLength + timeLength) return false
    const start = bytes.subarray(0, randomLength + timeLength)
    const mac = bytes.subarray(randomLength + timeLength)
    const ageMs = Date.now() - start.readUIntBE(randomLength, timeLength)
    return (
      ageMs < challengeMs &&
      isSameText(mac.toString('base64url'), computeMac(start, purpose, pageRequest).toString('base64url'))
    )
  }
  /** Returns false if it has served before: one of two concurrent calls succeeds. */
  const useChallenge = (challenge: string): Promise<boolean> =>
    addRecord(db, {
      model: 'PasskeyChallenge',
      id: challenge,
      payload: {},
      expiresAt: Date.now() + challengeMs,
    })

  return {
    make(purpose: Purpose, pageRequest: FormRequest): Uint8Array<ArrayBuffer> {
      const time = Buffer.alloc(timeLength)
      time.writeUIntBE(Date.now(), 0, timeLength)
      const start = Buffer.concat([randomBytes(randomLength), time])
      return Uint8Array.from(Buffer.concat([start, computeMac(start, purpose, pageRequest)]))
    },
    /**
     * Uses the challenge that `verify` passes to its argument. Undefined if it is not for this form or was used, or if `verify` throws: the
     * response is malformed, or not for this origin, person or key.
     */
    async verifyOnce<T>(
      purpose: Purpose,
      pageRequest: FormRequest,
      verify: (expectedChallenge: (challenge: string) => boolean) => Promise<T | undefined>,
    ): Promise<T | undefined> {
      let usedChallenge = ''
      try {
        const result = await verify(challenge => {
          usedChallenge = challenge
          return isOurs(challenge, purpose, pageRequest)
        })
        return result !== undefined && (await useChallenge(usedChallenge)) ? result : undefined
      } catch (error) {
        log.debug({ err: error }, 'a passkey was refused')
        return undefined
      }
    },
  }
}
