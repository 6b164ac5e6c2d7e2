import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse, stringify } from 'yaml'
import { mergeLayout } from './line-merge.ts'
import { normalizeWorkspaceFile } from './normalize-workspace-file.ts'
import {
  administratorSections,
  keepAdministratorSections,
  patchWorkspaceText,
} from './patch-workspace-text.ts'
import { readWorkspaceFile } from './read-workspace-file.ts'
import type { WorkspaceFile } from './workspace-file.ts'

const read = (source: string): WorkspaceFile => {
  const result = readWorkspaceFile(source)
  assert.ok('file' in result, JSON.stringify(result))
  return result.file
}

const source = `# The shop of Ada
workspace: shop            # never changes
title: "Book shop"


collections:
    books:
        # Numbers of books
        id: { field: isbn }
        fields:
            title:   { type: text,    weight: 2 }   # twice as much
            genre:   { type: keyword, title: Kind }
        synonyms: [[car, automobile],
                   [tv, television]]  # both ways
apis:
    shop:
        endpoints:
            search:  { kind: match, collection: books, fields: [title] }

# People
members:
    Ada@Example.org: [administrator]   # the boss
    bob@example.org: { roles: [api], filter: { genre: [drama] } }
# eve@example.org: [api]    left in May

# Programs
systemToSystem:
    website: { roles: [api] }    # on the web server
# The end of programs

configurations:
    default: {}   # all live
# The end
`

const change = (edit: (file: WorkspaceFile) => void): string => {
  const file = structuredClone(read(source))
  edit(file)
  const patched = patchWorkspaceText({ source, file })
  assert.ok(patched !== undefined)
  assert.deepEqual(normalizeWorkspaceFile(read(patched)), normalizeWorkspaceFile(file))
  return patched
}

test('a text that says the same stays as it is, to the byte', () => {
  assert.equal(
    change(() => {}),
    source,
  )
  const file = read(source)
  // In the form of an export: every default written out, addresses in lower case.
  const { definition, ...sections } = normalizeWorkspaceFile(file)
  assert.equal(patchWorkspaceText({ source, file: { ...definition, ...sections } }), source)
  const crlf = source.replaceAll('\n', '\r\n')
  assert.equal(patchWorkspaceText({ source: crlf, file }), crlf)
})

test('only the lines of what differs change', () => {
  const joined = change(file => {
    file.members = { ...file.members, 'carol@example.org': { roles: ['user'] } }
  })
  const bob = '    bob@example.org: { roles: [api], filter: { genre: [drama] } }\n'
  assert.equal(joined, source.replace(bob, `${bob}    carol@example.org: [user]\n`))
  const promoted = change(file => {
    file.members = { ...file.members, 'Ada@Example.org': ['administrator', 'user'] }
  })
  assert.equal(promoted, source.replace('[administrator]', '[administrator, user]'))
  const updated = change(file => {
    file.settings = { accessTokenLifetime: '1h' }
  })
  assert.equal(updated.replace(/\nsettings:\n {4}accessTokenLifetime: 1h\n/, ''), source)
  const removed = change(file => {
    file.members = { 'ada@example.org': ['administrator'] }
  })
  assert.equal(removed, source.replace(bob, ''))
})

test('a new member with groups is added, and the rest stays', () => {
  const text = change(file => {
    file.groups = { legal: { title: 'Legal' } }
    file.members = { ...file.members, 'kim@example.org': { roles: ['api'], groups: ['legal'] } }
  })
  for (const comment of source.match(/#.*/g) ?? []) assert.ok(text.includes(comment), text)
  assert.deepEqual(read(text).members?.['kim@example.org'], { roles: ['api'], groups: ['legal'] })
})

test('JSON stays JSON', () => {
  const json = JSON.stringify(read(source), undefined, 4)
  assert.equal(patchWorkspaceText({ source: json, file: read(source) }), json)
  const file = { ...read(source), title: 'Books' }
  const patched = patchWorkspaceText({ source: json, file })
  assert.equal(patched, json.replace('"Book shop"', '"Books"'))
})

test('a reduced text has nothing of the sections of administrators, nor a comment next to them', () => {
  const { members, systemToSystem, ...file } = read(source)
  const reduced = patchWorkspaceText({ source, file, isReduced: true })
  assert.ok(reduced !== undefined)
  assert.deepEqual(read(reduced), file)
  assert.doesNotMatch(reduced, /example\.org|People|left in May|Programs|website|the boss/)
  for (const comment of [
    '# The shop of Ada',
    '# never changes',
    '# twice as much',
    '# all live',
    '# The end',
  ])
    assert.ok(reduced.includes(comment), comment)
  const flow = `{ workspace: shop, members: { eve@example.org: [administrator] } } # eve@example.org`
  assert.equal(patchWorkspaceText({ source: flow, file: { workspace: 'shop' }, isReduced: true }), undefined)
})

test('a reduced text that is applied takes the sections along that it did not have', () => {
  const { members, systemToSystem, ...file } = read(source)
  const reduced = patchWorkspaceText({ source, file, isReduced: true }) ?? ''
  const next = reduced.replace('Book shop', 'Our book shop')
  const merged = keepAdministratorSections({ previous: source, next })
  assert.deepEqual(read(merged), { ...read(source), title: 'Our book shop' })
  for (const comment of ['# People', '# the boss', '# eve@example.org', '# Programs', '# on the web server'])
    assert.ok(merged.includes(comment), comment)
  assert.equal(
    keepAdministratorSections({ previous: source, next: '{ workspace: shop }' }),
    '{ workspace: shop }',
  )
  assert.equal(keepAdministratorSections({ previous: 'a: [', next }), next)
})

test('a text with an alias of a removed part, and one that is no file, are not patched', () => {
  const aliased = 'workspace: a\nmembers:\n  a@b.cd: &r [administrator]\n  c@d.ef: *r\n'
  const file: WorkspaceFile = { workspace: 'a', members: { 'c@d.ef': ['administrator'] } }
  assert.equal(patchWorkspaceText({ source: aliased, file }), undefined)
  assert.equal(patchWorkspaceText({ source: 'a: [', file }), undefined)
})

test('whatever differs, the result says what it shall, and keeps the comments of what stays', () => {
  const name = fc.constantFrom('one', 'two', 'three', 'four')
  const record = <T>(value: fc.Arbitrary<T>) => fc.dictionary(name, value, { maxKeys: 4 })
  const roles = fc.uniqueArray(fc.constantFrom('api' as const, 'data-provider' as const), { minLength: 1 })
  const text = fc.constantFrom('plain', 'a: b', '# none', "it's", 'Größe', '"q"', '- x', 'true', '12', ' s ')
  const fileArbitrary = fc.record(
    {
      workspace: fc.constant('shop'),
      title: text,
      collections: record(
        fc.record(
          {
            fields: record(
              fc.record({ type: fc.constant('keyword' as const), title: text }, { requiredKeys: ['type'] }),
            ),
          },
          { requiredKeys: [] },
        ),
      ),
      members: fc.dictionary(
        fc.constantFrom('a@b.cd', 'e@f.gh'),
        fc.oneof(
          roles,
          fc.record(
            { roles, filter: record(fc.array(text, { minLength: 1, maxLength: 2 })) },
            { requiredKeys: ['roles'] },
          ),
        ),
      ),
      systemToSystem: record(
        fc.record(
          { roles, addresses: fc.array(fc.constantFrom('10.0.0.1', '10.0.0.0/8')) },
          { requiredKeys: ['roles'] },
        ),
      ),
      settings: fc.record({ origins: fc.array(fc.constantFrom('https://a.example', 'https://b.example')) }),
    },
    { requiredKeys: ['workspace'] },
  ) as fc.Arbitrary<WorkspaceFile>
  /** Written with a comment at the end of each line, and blank lines. */
  const render = (file: WorkspaceFile, flows: boolean): string => {
    const lines: string[] = []
    const write = (value: unknown, indent: string): void => {
      for (const [key, item] of Object.entries(value as object)) {
        const isMapping = typeof item === 'object' && item !== null && !Array.isArray(item)
        const opens = isMapping && Object.keys(item).length > 0 && !(flows && indent !== '')
        lines.push(`${indent}${JSON.stringify(key)}:   ${opens ? '' : JSON.stringify(item)}   # of ${key}`)
        if (opens) write(item, `${indent}   `)
        if (indent === '') lines.push('', '')
      }
    }
    write(file, '')
    return `${lines.join('\n')}\n`
  }
  fc.assert(
    fc.property(fileArbitrary, fileArbitrary, fc.boolean(), (previous, next, flows) => {
      const original = render(previous, flows)
      const patched = patchWorkspaceText({ source: original, file: next })
      assert.ok(patched !== undefined, original)
      assert.deepEqual(normalizeWorkspaceFile(parse(patched)), normalizeWorkspaceFile(next))
      if (JSON.stringify(normalizeWorkspaceFile(previous)) === JSON.stringify(normalizeWorkspaceFile(next)))
        assert.equal(patched, original)
      assert.match(patched, /# of workspace/)
      assert.equal(patchWorkspaceText({ source: patched, file: next }), patched)
      const open = Object.fromEntries(
        Object.entries(next).filter(([key]) => !administratorSections.some(section => section === key)),
      ) as unknown as WorkspaceFile
      const reduced = patchWorkspaceText({ source: patched, file: open, isReduced: true })
      assert.ok(reduced !== undefined)
      assert.deepEqual(normalizeWorkspaceFile(parse(reduced)), normalizeWorkspaceFile(open))
      for (const section of administratorSections)
        assert.doesNotMatch(reduced, new RegExp(`^"?${section}`, 'm'))
    }),
    { numRuns: 500 },
  )
})

test('lines that an edit left alone keep their layout', () => {
  const original = 'a:   1\n\n\nb:  2\nx: 1\nc: [3,\n  4]'
  assert.equal(
    mergeLayout(original, 'a: 1\n\nb: 2\nx: 1\nc: [3, 4]', 'a: 1\n\nb: 4\nx: 1\nc: [3, 4]'),
    'a:   1\n\n\nb: 4\nx: 1\nc: [3,\n  4]',
  )
  const words = fc
    .array(fc.constantFrom('a', 'b', ' a', ''), { maxLength: 12 })
    .map(lines => lines.join('\n'))
  fc.assert(
    fc.property(words, words, (first, second) => {
      assert.equal(mergeLayout(first, second, second), first)
      assert.equal(mergeLayout(first, first, second), second)
    }),
  )
})

test('the work grows with a list, not with its square', t => {
  const countComparisons = (length: number): number => {
    const write = (prefix: string): WorkspaceFile => ({
      workspace: 'books',
      collections: {
        books: { synonyms: Array.from({ length }, (_, index) => [`${prefix}${index}`, 'book']) },
      },
    })
    // Lists with a line for each item, which are edited in the parsed document.
    const text = stringify(write('a'))
    // Each comparison of two lists calls it.
    const isArray = t.mock.method(Array, 'isArray')
    const patched = patchWorkspaceText({ source: text, file: write('b') })
    const comparisons = isArray.mock.callCount()
    isArray.mock.restore()
    assert.deepEqual(patched && read(patched), write('b'))
    return comparisons
  }
  assert.ok(countComparisons(200) < 3 * countComparisons(100))
})
