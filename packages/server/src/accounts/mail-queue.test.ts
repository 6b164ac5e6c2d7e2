import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createRecordEncryption } from '#keys/record-encryption'
import { openStorage, type Storage } from '#storage/db'
import { claimMails } from '#storage/mails'
import { waitUntil } from '#test-wait'
import { openMailQueue } from './mail-queue.ts'
import type { SmtpOutcome } from './smtp.ts'

const message = { to: 'ada@example.org', purpose: 'passwordReset', subject: 'A link', text: 'A link\n' }
const accepted: SmtpOutcome = { state: 'accepted', answer: '250', failure: undefined }
const delayed: SmtpOutcome = { state: 'delayed', answer: '', failure: { code: 'ESOCKET' } }

let folder: string
let storage: Storage
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-mail-queue-'))
  storage = await openStorage({ file: join(folder, 'querent.sqlite') })
})
after(async () => {
  await storage.close()
  await rm(folder, { recursive: true })
})
const secretKey = randomBytes(32)
const encryption = createRecordEncryption({ derive: () => secretKey })

/** A queue whose mail server answers each mail when the test does, in order. */
const openQueue = (pollMs: number) => {
  const answers: ((outcome: SmtpOutcome) => void)[] = []
  const lines: unknown[][] = []
  const outcomes: string[] = []
  const send = () => new Promise<SmtpOutcome>(resolve => answers.push(resolve))
  const log = { info: () => {}, warn: (...line: unknown[]) => void lines.push(line) }
  const count = (outcome: string) => void outcomes.push(outcome)
  return {
    answers,
    lines,
    outcomes,
    queue: openMailQueue({ send }, { storage, encryption, log, count, pollMs }),
  }
}
const empties = () => storage.db.deleteFrom('mails').execute()
const stored = () => storage.db.selectFrom('mails').selectAll().execute()
const minuteMs = 60_000

test('no other node sends a mail that is being sent, however long the mail server takes', async t => {
  await empties()
  t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() })
  const { answers, outcomes, queue } = openQueue(minuteMs)
  const sending = queue.send(message)
  await waitUntil(() => answers.length === 1)
  for (let minute = 0; minute < 30; minute++) {
    const [earlierRow] = await stored()
    t.mock.timers.tick(minuteMs)
    await waitUntil(async () => ((await stored())[0]?.due_at ?? 0) > (earlierRow?.due_at ?? 0))
  }
  assert.deepEqual(await claimMails(storage, { count: 1, leaseMs: minuteMs }), [])
  answers[0]?.(accepted)
  assert.equal(await sending, 'accepted')
  await queue.close()
  assert.deepEqual([outcomes, await stored()], [['accepted'], []])
})

test('a mail that finds the queue full is tried once, and not again', async () => {
  await empties()
  const row = { sealed: '', attempts: 1, last_failure: null, created_at: 0, due_at: 1e15, expires_at: 1e15 }
  for (let part = 0; part < 10; part++)
    await storage.db
      .insertInto('mails')
      .values(Array.from({ length: 1000 }, (_, index) => ({ ...row, id: `${part}-${index}` })))
      .execute()
  const { answers, lines, outcomes, queue } = openQueue(minuteMs)
  const sending = [queue.send(message), queue.send(message)]
  await waitUntil(() => answers.length === 2)
  answers[0]?.(accepted)
  answers[1]?.(delayed)
  // Either may reach the mail server first.
  assert.deepEqual((await Promise.all(sending)).toSorted(), ['accepted', 'dropped'])
  assert.match(JSON.stringify(lines), /too many mails wait/)
  // Mails that are being sent already keep further ones from the mail server.
  const further = Array.from({ length: 21 }, () => queue.send(message))
  assert.equal(await further.at(-1), 'dropped')
  await waitUntil(() => answers.length === 22)
  for (const answer of answers) answer(accepted)
  await queue.close()
  assert.deepEqual(outcomes.toSorted(), [...Array(21).fill('accepted'), 'dropped', 'dropped'])
  assert.equal((await stored()).length, 10_000)
})

test('closing waits for every mail, also if others cannot be decrypted', async () => {
  await empties()
  for (const id of ['fails', 'fails-later', 'readable']) {
    const times = { created_at: 0, due_at: 0, expires_at: Date.now() + minuteMs }
    const sealed = await encryption.encrypt(id, message)
    await storage.db
      .insertInto('mails')
      .values({ id, sealed, attempts: 0, last_failure: null, ...times })
      .execute()
  }
  const answers: ((outcome: SmtpOutcome) => void)[] = []
  const lines: unknown[][] = []
  const { promise: later, reject: fail } = Promise.withResolvers<never>()
  const queue = openMailQueue(
    { send: () => new Promise(resolve => answers.push(resolve)) },
    {
      storage,
      log: { info: () => {}, warn: (...line) => void lines.push(line) },
      encryption: {
        encrypt: encryption.encrypt,
        async decrypt(id, sealed) {
          if (id === 'fails') throw new Error('no memory')
          return id === 'readable' ? encryption.decrypt(id, sealed) : later
        },
      },
      pollMs: 10,
    },
  )
  await waitUntil(() => answers.length === 1 && lines.length === 1)
  const closing = queue.close()
  fail(new Error('no memory'))
  await waitUntil(() => lines.length === 2)
  answers[0]?.(accepted)
  await closing
  assert.deepEqual((await stored()).map(({ id }) => id).toSorted(), ['fails', 'fails-later'])
})
