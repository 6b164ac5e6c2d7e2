import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultTexts, fillIn, requirementTexts } from './fault-texts.ts'
import { hintTexts } from './file-fault-texts.ts'
import { readWorkspaceFile } from './read-workspace-file.ts'

/** Files with many faults: of the schema, of meaning, and of the identity provider. */
const brokenFiles = [
  `workspace: a
titel: A
collections:
  books:
    class: x
    id: { uri: "no-placeholder" }
    fields:
      title: { type: txt }
      pages: { type: number, weight: 2 }
      added: { type: date, title: 2024 }
apis:
  site:
    endpoints:
      search: { kind: match, collection: books, typos: sometimes }
      decades: { kind: facet, field: added, interval: fortnight }
      near: { kind: boost, field: place, halfDistance: far }
members: { ada@example.org: [] }
branding: { color: red }
settings: { accessTokenLifetime: 15, queryLog: { keep: forever } }
tests: [{ endpoint: search, judgments: a.tsv, metric: best, atLeast: 1 }]`,
  `workspace: a
collections:
  books: { fields: { title: { type: text }, pages: { type: number } } }
apis:
  site:
    endpoints:
      search: { kind: match, collection: book }
      author: { kind: filter, field: autor }
      long: { kind: filter, field: pages, value: many }
      sizes: { kind: facet, field: pages, ranges: [{ from: x }] }
      both: { kind: mix, of: { author: 1 } }
      new: { kind: boost, field: pages }
applications: { web: { type: browser, redirectUris: ["https://a.example/x"], pkce: false, profile: fapi-2.0 } }
identityProvider: { issuer: "http://login.example.org", clientId: x, domains: [Example.org] }
tests: [{ endpoint: searsh, query: a, expect: [b] }]`,
  'workspace: a\nidentityProvider: { issuer: "https://login.example.org", clientId: x }',
]

test('each fault of a workspace file has a code, and its values make the English message', () => {
  const faults: Readonly<Record<string, string>> = faultTexts
  const requirements: Readonly<Record<string, string>> = requirementTexts
  const hints: Readonly<Record<string, string>> = hintTexts
  for (const source of brokenFiles) {
    const read = readWorkspaceFile(source)
    assert.ok('errors' in read)
    for (const { path, message, code = '', values = {} } of read.errors) {
      const codes = requirements[code] === undefined ? String(values.allowed ?? '').split(' ') : [code]
      const allowed = codes.map(one => fillIn(requirements[one] ?? '', values)).join(' or ')
      const text = (requirements[code] === undefined ? faults[code] : faults['not-allowed']) ?? code
      const hint = hints[values.hint ?? ''] ?? ''
      assert.equal(fillIn(text + hint, { ...values, allowed }), message, path)
    }
  }
})
