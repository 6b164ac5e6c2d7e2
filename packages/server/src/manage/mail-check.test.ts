import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailCheck } from './mail-check.ts'

const now = Date.UTC(2026, 10, 27)
const minuteMs = 60_000

test('doctor warns of mails that wait longer than greylisting takes, with the last answer', () => {
  const backlog = (minutes: number) => ({
    waiting: 3,
    oldestAt: now - minutes * minuteMs,
    lastFailure: 'EENVELOPE 451',
  })
  const emptyBacklog = { waiting: 0, oldestAt: undefined, lastFailure: undefined }
  assert.equal(mailCheck(true, emptyBacklog, now).state, 'ok')
  assert.equal(mailCheck(true, undefined, now).state, 'ok')
  assert.equal(mailCheck(false, emptyBacklog, now).state, 'warn')
  assert.equal(mailCheck(true, backlog(5), now).state, 'ok')
  const late = mailCheck(true, backlog(25), now)
  assert.deepEqual([late.state, typeof late.advice], ['warn', 'string'])
  assert.match(late.message, /3 mails wait for the mail server, the oldest for 25 minutes \(EENVELOPE 451\)/)
})
