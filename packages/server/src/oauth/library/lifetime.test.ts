import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lifetimeSeconds } from './lifetime.ts'

test('tokens live for 15 minutes, or as long as the workspace says, within the limits', () => {
  const cases = { '15m': 900, '90s': 90, '24h': 86_400, '1h': 3600, '1s': 60, '0m': 60, '48h': 86_400 }
  for (const [setting, seconds] of Object.entries(cases)) assert.equal(lifetimeSeconds(setting), seconds)
  for (const setting of [undefined, '', 'soon', '15', '15 m']) assert.equal(lifetimeSeconds(setting), 900)
})
