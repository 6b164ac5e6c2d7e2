/**
 * The queue of mails. Each mail is stored before it is sent, and tried again while the mail server does not take it (RFC 5321, section
 * 4.5.4.1). The queue is in the storage, so every node can send it, and a crash loses no mail.
 */
import { randomUUID } from 'node:crypto'
import type { Db, Storage } from '#storage/db'
import { findInvitationByToken } from '#storage/invitations'
import {
  addMail,
  claimMails,
  delayMail,
  noBacklog,
  readMailBacklog,
  removeMail,
  renewMails,
  type StoredMail,
} from '#storage/mails'
import { findOneTimeLink } from '#storage/one-time-links'
import { findDomainLink } from '#storage/provider-domains'
import { type MailLetter, type Smtp, type SmtpOutcome, smtpConnectionsMax } from './smtp.ts'

export interface MailMessage extends MailLetter {
  /** Name of its template. */
  purpose: string
  /** When its link stops to work, in milliseconds since 1970: then nobody sends it any more. */
  expiresAt?: number
  /** Its link. The queue does not send the mail after the link was used, replaced or withdrawn. */
  link?: MailedLink
  /** Id of the request that caused the mail, for the log. */
  requestId?: string
}

/**
 * - `accepted`: the mail server accepted the mail.
 * - `waiting`: it did not yet; the server tries again for a day, or as long as the mail's link works.
 * - `rejected`: the mail server refused the mail for good.
 * - `unsupported`: the mail server cannot send to the address (RFC 6531, section 3.2).
 * - `dropped`: too many mails wait, or the storage does not answer. The mail was tried at most once.
 * - `off`: there is no mail server.
 */
export type MailOutcome = 'accepted' | 'waiting' | 'rejected' | 'unsupported' | 'dropped' | 'off'

export interface MailQueueDependencies {
  storage: Pick<Storage, 'db' | 'write'>
  /** Encrypts stored mails: they contain links and addresses. */
  encryption: {
    encrypt(id: string, payload: Record<string, unknown>): Promise<string>
    decrypt(id: string, ciphertext: string): Promise<Record<string, unknown> | undefined>
  }
  log: { info(facts: object, message: string): void; warn(facts: object, message: string): void }
  /** Counts an attempt by its outcome. */
  count?: (outcome: string) => void
  /** How often the queue is looked through. */
  pollMs?: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Delays after the first attempts; the last one repeats. Greylisting takes a few minutes. */
const retryDelaysMs = [minuteMs, 5 * minuteMs, 15 * minuteMs, 30 * minuteMs, hourMs, 2 * hourMs, 4 * hourMs]
/** How long a mail without a link is tried. */
const lifetimeMs = 24 * hourMs
/** Mails in the queue, of all nodes. */
const waitingMax = 10_000
/** Mails that this node hands to the mail server, two at a time. The others wait in the storage. */
const attemptsAtOnceMax = 10 * smtpConnectionsMax
/** A mail of a node that stopped is due after it. A node renews it while it sends the mail. */
const leaseMs = 5 * minuteMs
const defaultPollMs = 5000

export const openMailQueue = (smtp: Pick<Smtp, 'send'>, deps: MailQueueDependencies) => {
  const { storage, log, count = () => {}, pollMs = defaultPollMs } = deps
  const attempts = new Set<Promise<unknown>>()
  const attempt = createAttempt(smtp, deps)
  let backlog = noBacklog
  let running: Promise<void> | undefined
  let isClosed = false

  const track = <T>(pending: Promise<T>): Promise<T> => {
    attempts.add(pending)
    return pending.finally(() => attempts.delete(pending))
  }

  const send = async (message: MailMessage): Promise<MailOutcome> => {
    const isDirect = !isClosed && attempts.size < attemptsAtOnceMax
    const id = randomUUID()
    const isStored = await storeMail(deps, { id, message, dueAt: Date.now() + (isDirect ? leaseMs : 0) })
    if (isDirect)
      return attempt.run({ id, message, tries: 1, expiresAt: isStored ? findEnd(message) : undefined })
    if (isStored) return 'waiting'
    count('dropped')
    log.warn(describeMail(message), 'a mail was not sent: it is not stored, and this node sends others')
    return 'dropped'
  }

  const sendStored = async (mail: StoredMail): Promise<void> => {
    const message = await openStoredMail(deps, mail)
    if (message) await attempt.run({ ...mail, message, tries: mail.attempts })
    else await removeMail(storage.db, mail.id)
  }

  const sendDue = async (): Promise<void> => {
    for (;;) {
      const free = attemptsAtOnceMax - attempts.size
      if (isClosed || free <= 0) return
      const due = await claimMails(storage, { count: free, leaseMs })
      await Promise.all(
        due.map(mail =>
          track(sendStored(mail)).catch(error => log.warn({ err: error }, 'a stored mail could not be sent')),
        ),
      )
      backlog = await readMailBacklog(storage.db)
      if (due.length < free) return
    }
  }
  const poll = () => {
    running ??= sendDue()
      .catch(error => log.warn({ err: error }, 'stored mails could not be sent'))
      .finally(() => {
        running = undefined
      })
  }
  const timer = setInterval(poll, pollMs).unref()
  return {
    send: (message: MailMessage) => track(send(message)),
    backlog: () => backlog,
    async close() {
      isClosed = true
      clearInterval(timer)
      await running
      await Promise.allSettled(attempts)
      attempt.close()
    },
  }
}

/** Stores a mail before it is sent. Returns false if it could not. */
const storeMail = async (
  { storage, encryption, log }: MailQueueDependencies,
  { id, message, dueAt }: { id: string; message: MailMessage; dueAt: number },
): Promise<boolean> => {
  try {
    const sealed = await encryption.encrypt(id, { ...message })
    const expiresAt = findEnd(message)
    if (await addMail(storage, { id, sealed, dueAt, expiresAt }, waitingMax)) return true
    log.warn(describeMail(message), 'a mail was not stored: too many mails wait for the mail server')
  } catch (error) {
    log.warn({ err: error, ...describeMail(message) }, 'a mail could not be stored')
  }
  return false
}

/** Returns a stored mail to send. Undefined if nobody should send it any more, which is counted and logged. */
const openStoredMail = async (
  { storage, encryption, log, count = () => {} }: MailQueueDependencies,
  { id, sealed, attempts, expiresAt }: StoredMail,
): Promise<MailMessage | undefined> => {
  // Written only by `storeMail`; the cipher authenticates it.
  const message = (await encryption.decrypt(id, sealed)) as MailMessage | undefined
  const facts = { ...(message && describeMail(message)), attempts }
  if (!message || expiresAt <= Date.now()) {
    const reason = message ? 'its time is over' : 'it is of an earlier encryption key'
    count('given-up')
    log.warn(facts, `a mail was given up: ${reason}`)
    return undefined
  }
  if (message.link && !(await isLinkOpen(storage.db, message.link))) {
    count('withdrawn')
    log.info(facts, 'a mail that waited was not sent: its link was used, replaced or withdrawn')
    return undefined
  }
  return message
}

interface Attempt {
  id: string
  message: MailMessage
  /** Number of attempts, this one included. */
  tries: number
  /** Undefined for a mail that is not stored, which is not tried again. */
  expiresAt: number | undefined
}

/** Hands mails to the mail server, and takes them off the queue or delays them. */
const createAttempt = (
  smtp: Pick<Smtp, 'send'>,
  { storage, log, count = () => {} }: MailQueueDependencies,
) => {
  /** Ids of stored mails that this node hands to the mail server. */
  const sending = new Set<string>()
  /** However long the mail server takes, no other node sends them meanwhile. */
  const renewTimer = setInterval(() => {
    if (sending.size === 0) return
    renewMails(storage.db, [...sending], leaseMs).catch(error =>
      log.warn({ err: error }, 'other nodes may send mails a second time: their leases could not be renewed'),
    )
  }, leaseMs / 5).unref()

  return {
    async run({ id, message, tries, expiresAt }: Attempt): Promise<MailOutcome> {
      sending.add(id)
      const outcome = await smtp.send(message)
      sending.delete(id)
      const next = planNext(outcome, tries, expiresAt)
      count(next.name)
      if (outcome.failure)
        log.warn(
          { ...describeMail(message), ...outcome.failure, attempts: tries },
          `a mail was not accepted: ${next.text}`,
        )
      // If this fails, the mail is due again when the lease ends: better twice than never.
      await (next.delayMs === undefined
        ? removeMail(storage.db, id)
        : delayMail(storage.db, id, {
            attempts: tries,
            delayMs: next.delayMs,
            failure: describeCode(outcome),
          })
      ).catch(error =>
        log.warn({ err: error, ...describeMail(message) }, 'a mail could not be taken off the queue'),
      )
      return next.outcome
    },
    close: () => clearInterval(renewTimer),
  }
}

/** Facts for the log: never the address, subject or text. */
export const describeMail = ({ purpose, requestId, to }: MailMessage): object => ({
  purpose,
  domain: to.slice(to.lastIndexOf('@') + 1),
  ...(requestId === undefined ? {} : { requestId }),
})

const findEnd = ({ expiresAt }: MailMessage): number =>
  Math.min(expiresAt ?? Number.POSITIVE_INFINITY, Date.now() + lifetimeMs)

/** Without addresses: the answer of the mail server may repeat them. */
const describeCode = ({ failure }: SmtpOutcome): string =>
  failure ? [failure.code, failure.responseCode].filter(part => part !== undefined).join(' ') : ''

interface NextStep {
  /** For the metric. */
  name: string
  outcome: MailOutcome
  /** For the log. */
  text: string
  /** Undefined: no further attempt. */
  delayMs: number | undefined
}

/** `attempts`: this one included. `expiresAt`: undefined if there is no further one. */
const planNext = ({ state }: SmtpOutcome, attempts: number, expiresAt: number | undefined): NextStep => {
  if (state !== 'delayed') {
    const text = state === 'unsupported' ? 'the mail server lacks SMTPUTF8' : 'it was refused for good'
    return { name: state, outcome: state, text, delayMs: undefined }
  }
  if (expiresAt === undefined)
    return {
      name: 'dropped',
      outcome: 'dropped',
      text: 'it is not stored, so not tried again',
      delayMs: undefined,
    }
  const delayMs = retryDelaysMs[Math.min(attempts, retryDelaysMs.length) - 1] ?? hourMs
  if (Date.now() + delayMs >= expiresAt)
    return { name: 'given-up', outcome: 'rejected', text: 'given up', delayMs: undefined }
  return { name: 'delayed', outcome: 'waiting', text: `tried again in ${delayMs / 1000} s`, delayMs }
}

/** Links in mails. A mail that waits goes out only as long as its link works. */
export interface MailedLink {
  /** `one-time`: for a new password or address. `domain`: proves a domain of an OpenID provider. */
  kind: 'invitation' | 'one-time' | 'domain'
  token: string
}

/** False once the link was used, replaced or withdrawn, or has expired. */
const isLinkOpen = async (db: Db, { kind, token }: MailedLink): Promise<boolean> => {
  switch (kind) {
    case 'invitation':
      return (await findInvitationByToken(db, token))?.state === 'open'
    case 'one-time':
      return (await findOneTimeLink(db, token)) !== undefined
    case 'domain':
      return (await findDomainLink(db, token)) !== undefined
  }
}
