/** Slows down devices that ask too often whether their code was confirmed (RFC 8628, section 3.5). */
import { errors } from 'oidc-provider'
import { deviceCodeSeconds } from '#oauth/library/lifetime'
import type { Db } from '#storage/db'
import { findRecord, saveRecord } from '#storage/oidc-records'

/** The least time between two requests. */
export const pollIntervalSeconds = 5
/** Clients wait for the interval after an answer, but their clocks and networks vary. */
const toleranceSeconds = 1
const model = 'DevicePoll'

/** Records a request with an unconfirmed code. Throws `slow_down` if the last one was too recent. */
export const recordPoll = async (db: Db, deviceCode: string): Promise<void> => {
  const now = Date.now()
  const last = await findRecord(db, model, { id: deviceCode })
  const polledAt = Number(last?.polledAt ?? 0)
  const intervalSeconds = Number(last?.intervalSeconds ?? pollIntervalSeconds)
  const isTooFast = now < polledAt + (intervalSeconds - toleranceSeconds) * 1000
  await saveRecord(db, {
    model,
    id: deviceCode,
    payload: {
      polledAt: now,
      // Each `slow_down` adds 5 seconds, for all later requests.
      intervalSeconds: isTooFast ? intervalSeconds + pollIntervalSeconds : intervalSeconds,
    },
    expiresAt: now + deviceCodeSeconds * 1000,
  })
  if (isTooFast)
    throw new errors.SlowDown(
      `this code was asked for less than ${intervalSeconds} seconds ago: wait ${pollIntervalSeconds} seconds longer each time from now on`,
    )
}
