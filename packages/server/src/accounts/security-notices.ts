/**
 * Mails about the security of an account: who receives them can act before harm is done. They never hold up a request, and nobody can
 * flood a person with them.
 */
import { displayEmail } from '@querent/contract/email-address'
import { LRUCache } from 'lru-cache'
import { findLanguage } from '#languages/languages'
import { lruLimit } from '#memory/lru-limit'
import type { Storage } from '#storage/db'
import { claimSecurityNotice } from '#storage/sign-in-log'
import { beginAttempt } from '#storage/throttles'
import type { Mailer } from './mail.ts'
import { type FactorChange, type MailContent, mailTemplates } from './mail-templates.ts'

/** The person, with the address that the mail goes to. */
export interface NoticeRecipient {
  id: string
  email: string
  language: string | null
  /** Id of the request that caused the notice, for the log. */
  requestId?: string
}

export type SecurityNotice =
  | { kind: 'factor-changed'; change: FactorChange }
  | { kind: 'password-changed' }
  /** The person downloaded what is stored about them. */
  | { kind: 'data-exported' }
  /** To the former address. `newEmail` is shown in part, in case the account is no longer theirs. */
  | { kind: 'email-changed'; newEmail: string }
  | { kind: 'new-device'; browser: string | null; system: string | null; address: string; at: number }
  /** Wrong passwords have reached the limit of the account. */
  | { kind: 'failed-sign-ins' }
  /** Wrong codes have reached the limit: somebody has the password. */
  | { kind: 'failed-codes' }

export interface SecurityNotices {
  /**
   * Returns at once. Nothing is sent if the person got too many mails of this kind, or if `isTrue`, which is asked last, says that the
   * notice is not.
   */
  send(recipient: NoticeRecipient, notice: SecurityNotice, isTrue?: () => Promise<boolean>): void
  /** Waits for notices that are being prepared. */
  close(): Promise<void>
}

/** Reports of an attack that goes on: one a day. */
const repeatMs = 24 * 60 * 60 * 1000
/** Others: as many in an hour. */
const noticesPerHourMax = 10
const hourMs = 60 * 60 * 1000
/** Notices being prepared. Beyond, they are dropped. */
const preparingMax = 1000
/** People whose last notices this node remembers. */
const claimedMax = 10_000

export const openSecurityNotices = (
  storage: Pick<Storage, 'db' | 'kind'>,
  mail: Pick<Mailer, 'send' | 'isAvailable'>,
  authUrl: string,
): SecurityNotices => {
  const claimed = new LRUCache<string, true>({ ...lruLimit(claimedMax), ttl: repeatMs })
  const isDue = async (
    { id }: NoticeRecipient,
    { kind }: SecurityNotice,
    isTrue: () => Promise<boolean>,
  ): Promise<boolean> => {
    if (kind === 'failed-sign-ins' || kind === 'failed-codes') {
      // Saves looking again while an attack goes on.
      if (claimed.has(`${kind} ${id}`) || !(await isTrue())) return false
      claimed.set(`${kind} ${id}`, true)
      return claimSecurityNotice(storage.db, { userId: id, kind, everyMs: repeatMs })
    }
    if (!(await isTrue())) return false
    const limit = { key: `notice ${kind} to ${id}`, failuresMax: noticesPerHourMax }
    return (await beginAttempt(storage, [limit], hourMs)) !== undefined
  }
  const preparing = new Set<Promise<void>>()
  return {
    send(recipient, notice, isTrue = async () => true) {
      if (!mail.isAvailable || preparing.size >= preparingMax) return
      const preparation = (async () => {
        // The reply goes out first.
        await new Promise(resolve => setImmediate(resolve))
        if (await isDue(recipient, notice, isTrue))
          void mail.send({
            to: recipient.email,
            ...(recipient.requestId === undefined ? {} : { requestId: recipient.requestId }),
            ...writeNotice(recipient, notice, authUrl),
          })
      })()
        // The storage is unreachable: the notice is lost, the log has the event.
        .catch(() => {})
        .finally(() => preparing.delete(preparation))
      preparing.add(preparation)
    },
    async close() {
      await Promise.all(preparing)
    },
  }
}

const writeNotice = (recipient: NoticeRecipient, notice: SecurityNotice, authUrl: string): MailContent => {
  const templates = mailTemplates(findLanguage(recipient))
  switch (notice.kind) {
    case 'factor-changed':
      return templates.factorChanged({ authUrl, change: notice.change })
    case 'password-changed':
      return templates.passwordChanged({ authUrl })
    case 'data-exported':
      return templates.dataExported({ authUrl })
    case 'email-changed':
      return templates.emailChanged({ authUrl, newEmail: maskEmail(notice.newEmail) })
    case 'new-device':
      return templates.newDevice({ ...notice, authUrl })
    case 'failed-sign-ins':
      return templates.failedSignIns({ authUrl })
    case 'failed-codes':
      return templates.failedCodes({ authUrl })
  }
}

/** `ada@example.org` is `a…@example.org`. */
const maskEmail = (email: string): string => {
  const domain = email.slice(email.lastIndexOf('@'))
  return `${[...email][0] ?? ''}…${displayEmail(domain)}`
}
