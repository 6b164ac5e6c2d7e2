/**
 * Codes as second factor: of the authenticator app, and recovery codes.
 * Only failures count. With the setting `n` of the sign-in throttle: `n` a minute and `3 n` an hour for a
 * person, `10 n` a minute for an address. Six digits allow so few attempts: 30 an hour guess a code once in
 * about a year. As for passwords (sign-in.ts), a known device of the person has a limit of its own, so nobody
 * can lock the owner out. Recovery codes, which nobody can guess, count apart.
 */
import { findTimeStep, isAppCode } from '#accounts/authenticator-app'
import { hashRecoveryCode } from '#accounts/recovery-codes'
import { toNetwork } from '#authz/network'
import type { Keyring } from '#keys/keyring'
import { createRecordEncryption } from '#keys/record-encryption'
import type { Storage } from '#storage/db'
import { findAuthenticatorApp, findRecoverySalt, useRecoveryCode, useTimeStep } from '#storage/second-factors'
import { type Attempt, beginAttempt, type Limit } from '#storage/throttles'

/** `unreadable`: the authenticator app was encrypted with another key, so no code of it can be right. */
export type CodeResult = 'accepted' | 'refused' | 'throttled' | 'unreadable'

export interface FactorCodes {
  /** Uses the code up. `device`: id of this device if the person signed in on it before. */
  attempt(input: {
    userId: string
    code: string
    /** IP address. */
    address: string
    device: string | undefined
  }): Promise<CodeResult>
  /** Encrypts the secret of an authenticator app for storage. Only the same person's can be decrypted. */
  encryptSecret(userId: string, secret: string): Promise<string>
  /** Undefined: encrypted for another person or with another key. */
  decryptSecret(userId: string, encryptedSecret: string): Promise<string | undefined>
}

interface App {
  encryptedSecret: string
  /** Undefined: it was encrypted with another key. */
  secret: string | undefined
}

const minuteMs = 60 * 1000
const hourMs = 60 * minuteMs

export const openFactorCodes = (
  storage: Storage,
  keyring: Pick<Keyring, 'derive'>,
  failuresPerMinute: number | 'off',
): FactorCodes => {
  const { db } = storage
  const encryption = createRecordEncryption(keyring, 'authenticator apps')

  const decryptSecret: FactorCodes['decryptSecret'] = async (userId, encryptedSecret) => {
    const payload = await encryption.decrypt(userId, encryptedSecret)
    return typeof payload?.secret === 'string' ? payload.secret : undefined
  }

  /** Undefined: the person has no app. */
  const readApp = async (userId: string): Promise<App | undefined> => {
    const app = await findAuthenticatorApp(db, userId)
    if (!app) return undefined
    const encryptedSecret = app.encrypted_secret
    return { encryptedSecret, secret: await decryptSecret(userId, encryptedSecret) }
  }
  /** False if the person replaced the app meanwhile. */
  const useAppCode = async (userId: string, code: string, app: App | undefined): Promise<boolean> => {
    if (app?.secret === undefined) return false
    const step = findTimeStep(app.secret, code)
    const { encryptedSecret } = app
    return step !== undefined && (await useTimeStep(db, { userId, encryptedSecret, step }))
  }
  const useRecovery = async (userId: string, code: string): Promise<boolean> => {
    const salt = await findRecoverySalt(db, userId)
    return salt !== undefined && useRecoveryCode(db, userId, await hashRecoveryCode(code, salt))
  }

  const limitsFor = (
    kind: string,
    { userId, address, device }: { userId: string; address: string; device: string | undefined },
  ): { limits: Limit[]; windowMs: number }[] => {
    if (failuresPerMinute === 'off') return []
    const owner = device === undefined ? `${kind} of ${userId}` : `${kind} on device ${device}`
    const perNetwork = { key: `${kind} from ${toNetwork(address)}`, failuresMax: failuresPerMinute * 10 }
    return [
      {
        limits: [
          { key: owner, failuresMax: failuresPerMinute },
          ...(device === undefined ? [perNetwork] : []),
        ],
        windowMs: minuteMs,
      },
      { limits: [{ key: `${owner}, hourly`, failuresMax: failuresPerMinute * 3 }], windowMs: hourMs },
    ]
  }

  return {
    async attempt({ userId, code, address, device }) {
      const isOfApp = isAppCode(code)
      const app = isOfApp ? await readApp(userId) : undefined
      if (app && app.secret === undefined) return 'unreadable'
      const kind = isOfApp ? 'code' : 'recovery code'
      const attempts: Attempt[] = []
      const takeBack = async () => {
        for (const attempt of attempts) await attempt.takeBack()
      }
      for (const { limits, windowMs } of limitsFor(kind, { userId, address, device })) {
        const attempt = await beginAttempt(storage, limits, windowMs)
        if (!attempt) {
          await takeBack()
          return 'throttled'
        }
        attempts.push(attempt)
      }
      const isRight = await (isOfApp ? useAppCode(userId, code, app) : useRecovery(userId, code))
      if (!isRight) return 'refused'
      await takeBack()
      return 'accepted'
    },
    encryptSecret: (userId, secret) => encryption.encrypt(userId, { secret }),
    decryptSecret,
  }
}
