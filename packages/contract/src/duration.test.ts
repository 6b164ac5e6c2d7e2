import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDuration, writeDuration } from './duration.ts'

test('durations are whole numbers of seconds, minutes, hours or days', () => {
  const cases = { '0m': 0, '90s': 90, '15m': 900, '24h': 86_400, '30d': 2_592_000 }
  for (const [duration, seconds] of Object.entries(cases)) assert.equal(readDuration(duration), seconds)
  for (const duration of ['', 'soon', '15', '15 m', '1.5h', '-1m', '1w', '1h30m', '15M', 'm'])
    assert.equal(readDuration(duration), undefined, duration)
})

test('durations are written in the largest unit that divides them, and read back the same', () => {
  const cases = { 5: '5s', 90: '90s', 600: '10m', 7200: '2h', 604800: '7d' }
  for (const [seconds, duration] of Object.entries(cases)) {
    assert.equal(writeDuration(Number(seconds)), duration)
    assert.equal(readDuration(duration), Number(seconds))
  }
})
