import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isTimeZone, offsetAt, zoneOffsets } from './time-zone.ts'

const zones = ['Europe/Amsterdam', 'Africa/Casablanca', 'America/St_Johns', 'Australia/Lord_Howe', 'UTC']

test('offsets are those of the local times that the runtime prints', () => {
  const seconds = fc.integer({ min: Date.UTC(1800, 0, 1) / 1000, max: Date.UTC(2400, 0, 1) / 1000 })
  fc.assert(
    fc.property(fc.constantFrom(...zones), seconds, (timeZone, moment) => {
      const format = new Intl.DateTimeFormat('en-US', {
        timeZone,
        hourCycle: 'h23',
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
      })
      const numbers = (format.format(1000 * moment).match(/\d+/g) ?? []).map(Number)
      const [month = 1, day = 1, year = 0, hour = 0, minute = 0, second = 0] = numbers
      const local = Date.UTC(year, month - 1, day, hour, minute, second) / 1000
      assert.equal(offsetAt(zoneOffsets(timeZone), moment), local - moment)
    }),
  )
})

test('names that the runtime does not know are no zones', () => {
  assert.deepEqual(['Europe/Nowhere', '', 'Europe/Amsterdam '].map(isTimeZone), [false, false, false])
})
