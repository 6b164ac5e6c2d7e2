/** Checks the mail server by the mails that wait for it. */
import { healthPart } from '@querent/contract/health-texts'
import type { HealthCheck } from '@querent/contract/manage'
import type { MailBacklog } from '#storage/mails'
import { makeHealthCheck } from './health-check.ts'

/** Greylisting delays a mail for some minutes. */
const lateMs = 10 * 60 * 1000

/** `backlog`: undefined if the storage does not answer. */
export const mailCheck = (canMail: boolean, backlog: MailBacklog | undefined, now: number): HealthCheck => {
  const name = 'mail'
  const { waiting, oldestAt = now, lastFailure } = backlog ?? { waiting: 0, lastFailure: undefined }
  const minutes = Math.floor((now - oldestAt) / 60_000)
  const waits = healthPart('mail-waits', { count: waiting, minutes })
  if (!canMail)
    return makeHealthCheck({ name, state: 'warn' }, [healthPart('mail-none')], healthPart('mail-none-advice'))
  if (waiting > 0 && now - oldestAt >= lateMs)
    return makeHealthCheck(
      { name, state: 'warn' },
      [
        waits,
        lastFailure === undefined
          ? healthPart('mail-no-answer')
          : healthPart('reason', { reason: lastFailure }),
      ],
      healthPart('mail-late-advice'),
    )
  return makeHealthCheck({ name, state: 'ok' }, [
    healthPart('mail-configured'),
    ...(waiting > 0 ? [healthPart('next'), waits] : []),
  ])
}
