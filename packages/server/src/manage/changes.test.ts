import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalizeWorkspaceFile } from '@querent/contract/normalize-workspace-file'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import fc from 'fast-check'
import { parse } from 'yaml'
import { changesBetween, mergeFile } from './changes.ts'
import { writeFile } from './export.ts'

const name = fc.constantFrom('a', 'b', 'c.d', 'constructor')
const record = <T>(value: fc.Arbitrary<T>) => fc.dictionary(name, value, { maxKeys: 3 })
const optional = { requiredKeys: [] } as { requiredKeys: [] }
const roles = fc.uniqueArray(fc.constantFrom('administrator', 'user', 'api', 'data-provider' as const), {
  minLength: 1,
})
const systemRoles = fc.uniqueArray(fc.constantFrom('api', 'data-provider' as const), { minLength: 1 })
const filter = record(fc.oneof(fc.string(), fc.array(fc.integer(), { minLength: 1 })))
const email = fc.constantFrom('ada@example.org', 'ADA@example.org', 'bob@example.org')
const field = fc.oneof(
  fc.record(
    { type: fc.constant('text' as const), weight: fc.integer({ min: 1, max: 3 }) },
    { requiredKeys: ['type'] },
  ),
  fc.record({ type: fc.constantFrom('keyword', 'number' as const) }),
)

const file: fc.Arbitrary<WorkspaceFile> = fc
  .record(
    {
      title: fc.string(),
      collections: record(
        fc.record({ fields: record(field), language: fc.constant('english' as const) }, optional),
      ),
      configurations: record(record(fc.constant('live'))),
      apis: record(
        fc.record(
          {
            title: fc.string(),
            endpoints: record(fc.record({ kind: fc.constant('all' as const), collection: name })),
          },
          optional,
        ),
      ),
      members: fc.dictionary(
        email,
        fc.oneof(roles, fc.record({ roles, filter }, { requiredKeys: ['roles'] })),
        { maxKeys: 1 },
      ),
      applications: record(
        fc.record(
          { redirectUris: fc.array(fc.webUrl(), { maxLength: 2 }), own: fc.boolean(), title: fc.string() },
          { requiredKeys: ['redirectUris'] },
        ),
      ),
      systemToSystem: record(fc.record({ roles: systemRoles, filter }, { requiredKeys: ['roles'] })),
      identityProvider: fc.constant(null),
      settings: fc.record(
        { accessTokenLifetime: fc.constantFrom('5m', '15m'), requireSecondFactor: fc.boolean() },
        optional,
      ),
    },
    { requiredKeys: [] },
  )
  .map(parts => ({ workspace: 'w', ...parts }))

test('applying a file twice changes nothing, whatever was there', () =>
  fc.assert(
    fc.property(fc.option(file, { nil: undefined }), file, (original, desired) => {
      const current = original && mergeFile(undefined, original)
      const merged = mergeFile(current, desired)
      // The storage keeps it as JSON.
      const stored = JSON.parse(JSON.stringify(merged))
      assert.deepEqual(changesBetween(stored, mergeFile(stored, desired)), [])
    }),
  ))

test('an exported file, applied, changes nothing, whatever its texts are', () =>
  fc.assert(
    fc.property(file, fc.string({ unit: 'grapheme', minLength: 1 }), (original, title) => {
      const stored = mergeFile(undefined, { ...original, title })
      // As `readWorkspaceFile` reads it.
      const exported: WorkspaceFile = parse(writeFile(stored, true), { version: '1.2', schema: 'core' })
      assert.deepEqual(changesBetween(stored, mergeFile(stored, exported)), [])
    }),
  ))

test('nobody and nothing of the administrators’ is removed for not being named', () =>
  fc.assert(
    fc.property(file, file, (original, desired) => {
      const current = mergeFile(undefined, original)
      const removed = changesBetween(current, mergeFile(current, desired)).filter(
        ({ change }) => change === 'remove',
      )
      for (const { path } of removed) assert.doesNotMatch(path, /^(members|applications|systemToSystem)/)
    }),
  ))

test('the differences, done by hand, make one file of the other', () =>
  fc.assert(
    fc.property(file, file, (original, desired) => {
      const current = mergeFile(undefined, original)
      const target = mergeFile(current, desired)
      const changes = changesBetween(current, target)
      for (const { change, before: old, after: now } of changes) {
        assert.equal(old === undefined, change === 'add')
        assert.equal(now === undefined, change === 'remove')
      }
      assert.equal(new Set(changes.map(({ path }) => path)).size, changes.length, 'one for each place')
      const back = changesBetween(target, current)
      assert.equal(back.length, changes.length, 'as many the other way round')
    }),
  ))

test('the order of names means nothing, defaults are the same as what is left out', () => {
  const one: WorkspaceFile = {
    workspace: 'w',
    settings: {},
    identityProvider: null,
    applications: { a: { redirectUris: ['https://a.example/'], type: 'browser', own: false, origins: [] } },
    members: { 'Ada@example.org': { roles: ['api', 'user'] } },
  }
  const reordered: WorkspaceFile = {
    members: { 'ada@example.org': ['user', 'api'] },
    applications: { a: { redirectUris: ['https://a.example/'] } },
    workspace: 'w',
  }
  assert.deepEqual(changesBetween(normalizeWorkspaceFile(one), normalizeWorkspaceFile(reordered)), [])
})
