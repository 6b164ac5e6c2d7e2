import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { missingEntries } from './complete-lock.ts'

test('the lock file names every optional package of other platforms, so that npm ci works with a registry that lacks some', () => {
  const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8'))
  assert.deepEqual(missingEntries(packages), {})
})

test('a missing package is added with the platform in its name', () => {
  const packages = {
    'node_modules/a': { license: 'MIT', optionalDependencies: { 'a-linux-x64-musl': '1.0.0' } },
  }
  assert.deepEqual(missingEntries(packages), {
    'node_modules/a-linux-x64-musl': {
      version: '1.0.0',
      cpu: ['x64'],
      libc: ['musl'],
      license: 'MIT',
      optional: true,
      os: ['linux'],
    },
  })
})
