/**
 * The sentences of health checks in parts: stable codes with values, and their English texts, which follow each other without a space. Programs
 * that show a check in another language translate its parts.
 */
import { type FaultValues, fillIn } from './fault-texts.ts'

/** A text with both forms depends on `count`. */
type HealthText = string | { one: string; other: string }

export const healthTexts = {
  'storage-away': 'the storage does not answer; keys, collections and backups were not checked',
  'storage-away-advice':
    'check that the database runs and that the server can reach it; cached data is served for staleSeconds, then requests get 503',
  'storage-answers': '{kind} answers in {ms} ms',
  'storage-reports': ' and reports changes',
  'storage-silent': '; it has reported no changes for {seconds} s',
  'storage-silent-advice':
    'check the load of {kind} and the network: removed members may keep access until it reports changes again',
  'clock-behind': "the database's clock is {seconds} s behind the server's",
  'clock-ahead': "the database's clock is {seconds} s ahead of the server's",
  'clock-advice': 'synchronize both machines with the same NTP server; tokens allow 60 s',
  'keys-missing': 'no key signs with {algorithms}',
  'keys-missing-advice': 'restart the server, which creates the missing keys',
  'keys-sign': '{keys} keys sign, the oldest for ',
  days: { one: '{count} day', other: '{count} days' },
  'keys-no-next': '; no next key yet',
  'keys-next': '; the next are published and sign from {time}',
  'keys-overdue-advice':
    'keys should rotate after {days} days: run `querent keys rotate`, and check the log for the reason',
  'keys-old-advice': 'run `querent keys rotate`, or set keyRotationDays',
  'engine-answers': 'the engine answers',
  'engine-away': 'the engine does not answer: {reason}',
  'engine-away-advice':
    'check that OpenSearch runs and that the server can reach it; queries and documents get 503 until then',
  documents: { one: '{count} document', other: '{count} documents' },
  'in-collections': { one: ' in {count} collection', other: ' in {count} collections' },
  'engine-unopened': ', {more} more not opened yet',
  'engine-down': '; down: {names}',
  'engine-not-ready': '; not ready: {names}',
  'engine-rebuilding': '; being rebuilt: {names}',
  'and-more': ' and {more} more',
  reason: ' ({reason})',
  'engine-all-ready': ', all ready',
  'engine-opened-ready': ', those opened are ready',
  'documents-lost-advice':
    'put back the lost files (documents.db, documents.db-wal) or restore a backup; without one, import all documents with replace=true, or promote another generation',
  'no-resources-advice': 'give the server more of it: it opens them again within 30 s, without a restart',
  'engine-down-advice':
    'check the permissions and the disk of the folder engine, and the log for "a collection is down"; if their files are damaged, restore a backup, or import all their documents with replace=true',
  'engine-not-ready-advice': 'check the log for messages about them; if there are none, restart the server',
  'engine-rebuilding-advice': 'wait: they answer 503 until their index is rebuilt from their documents',
  'backup-none': 'no backup was made',
  'backup-advice': 'create one with `querent backup FILE` daily, and keep it on another machine',
  'backup-failed': 'the last backup failed at {time}: {reason}',
  'backup-failed-advice': 'remove the cause, and create one with `querent backup FILE`',
  'backup-lacks': 'the last backup, of {time}, lacks the documents of {names}',
  'backup-lacks-reason': ': {reason}',
  'backup-lacks-advice':
    'keep the backups before it, repair these collections, and create one with `querent backup FILE`',
  'backup-started': 'the last backup was started at {time}',
  'proxy-untrusted':
    'requests from {peer} carry X-Forwarded-For but it is not in trustedProxy, so all clients share its address in limits and the audit log',
  'proxy-untrusted-advice': 'add {peer} to trustedProxy if that is your proxy',
  'proxy-silent':
    "the request came from {peer} without X-Forwarded-For, so all clients share the proxy's address in limits and the audit log",
  'proxy-silent-advice': 'make the proxy send X-Forwarded-For, and add it to trustedProxy',
  'proxy-host': 'the request was for {host}, and authUrl is {authUrl}',
  'proxy-host-advice': 'make the proxy pass the Host header unchanged',
  'proxy-scheme': 'the proxy reports the scheme {scheme}, and authUrl is {authUrl}',
  'proxy-scheme-advice': 'redirect http to https at the proxy, or correct its X-Forwarded-Proto',
  'proxy-none': 'the request came without a proxy',
  'proxy-trusted': 'the proxy at {peer} is trusted and passes Host and X-Forwarded-For',
  'data-unreadable': 'the data folder {data} cannot be read ({reason})',
  'data-unreadable-advice': 'restore it, mount its file system, and restart the server',
  'disk-full-reserve':
    'the disk with the storage is full; the reserve for backups, removals, revocations and keys is complete',
  'disk-full-used':
    'the disk with the storage is full; the reserve for backups, removals, revocations and keys was used and has {percent} % of its size',
  'disk-full-advice': 'free up space: until then, every other change fails with 503',
  'disk-free': '{gib} GiB free for {data}',
  'disk-advice': 'free up space: on a full disk every change fails with 503',
  'limits-advice':
    'restart the server after you raise the limit; until then it opens and closes collections more often',
  'mail-none': 'no mail server is configured: invitations and password links must be copied by hand',
  'mail-none-advice': 'set QUERENT_SMTP_URL and QUERENT_MAIL_FROM; you can do without if few people sign in',
  'mail-configured': 'a mail server is configured',
  'mail-waits': {
    one: '{count} mail waits for the mail server, the oldest for {minutes} minutes',
    other: '{count} mails wait for the mail server, the oldest for {minutes} minutes',
  },
  'mail-no-answer': ' (no answer yet)',
  'mail-late-advice':
    'send a test mail in the console, under Server, to see the answer of the mail server; the log has the purpose and the domain of each failure',
  'emails-alike': 'two people have spellings of one e-mail address: ',
  'email-pair': '{email} and {other}',
  'emails-alike-advice':
    'ask the person which account they use, then change the address of the other one or delete it (docs/people.md, "One mailbox, two people")',
  domains: 'domains of OpenID providers: ',
  'domains-unproved': 'not proved, so that nobody is signed in: {names}',
  'domains-failing': 'TXT record not found: {names}',
  'domains-more': '{more} more',
  next: '; ',
  'domains-advice':
    '`querent provider show WORKSPACE` prints the TXT record of each and when its proof ends; prove it, or take it out of the workspace file',
  'former-address': 'this server was at {authUrl} and {baseUrl} until {time}',
  'former-passkeys':
    'passkeys of {hosts} that do not work here: {passkeys}; people without another second factor: {people}',
  'former-audiences':
    'applications with a default audience of a former address, for which the server uses {baseUrl}: {audiences}',
  'former-address-advice':
    'applications need the new issuer and audience, people consent again, sign in with a recovery code or password, and add a passkey; `querent users remove-factors` helps those without a recovery code',
  'node-silent': 'the node has been silent for {minutes} minutes and did not stop cleanly',
  'node-silent-advice':
    'start it again, or check that it reaches the storage; it is no longer listed after an hour',
} as const satisfies Record<string, HealthText>

export type HealthCode = keyof typeof healthTexts

export interface HealthPart {
  code: HealthCode
  values: FaultValues
}

/** Makes a part of a sentence. */
export const healthPart = (code: HealthCode, values: FaultValues = {}): HealthPart => ({ code, values })

/** Writes parts in English. */
export const writeHealth = (parts: readonly HealthPart[]): string =>
  parts
    .map(({ code, values }) => {
      const text: HealthText = healthTexts[code]
      const form = typeof text === 'string' ? text : values.count === 1 ? text.one : text.other
      return fillIn(form, formatNumbers(values))
    })
    .join('')

const formatNumbers = (values: FaultValues): FaultValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' ? value.toLocaleString('en') : value,
    ]),
  )
