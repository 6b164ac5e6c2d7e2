import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { ErrorPlace } from '@querent/contract/errors'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { accountNamePattern } from '@querent/contract/workspace-names'
import fc from 'fast-check'
import { createClient } from '#storage/clients'
import { chooseRuns } from '#test-runs'
import { openTestServer, type Person } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const apply = (person: Person, source: string, dryRun = false) =>
  server.call(person, 'POST', '/manage/v1/apply', { source, dryRun })
const exported = async (person: Person, workspace: string): Promise<string> =>
  (await server.call(person, 'GET', `/manage/v1/workspaces/${workspace}/file`)).body.source
const paths = (body: { changes: { change: string; path: string }[] }) =>
  body.changes.map(({ change, path }) => `${change} ${path}`)

const dictionary = `
workspace: dictionary
title: The English dictionary
collections:
  entries:
    id: { field: id, uri: "https://wordnet.example/{id}" }
    fields:
      title: { type: text, weight: 3 }
      domain: { type: keyword }
configurations: { default: {} }
apis:
  dictionary:
    endpoints:
      search: { kind: match, collection: entries, fields: [title] }
      domain: { kind: facet, field: domain }
members:
  Ada@Example.org: [user, administrator]
  ursula@example.org: { roles: [api], filter: { domain: [noun.animal] } }
applications:
  finder: { title: Finder, redirectUris: ["http://localhost:5173/callback"] }
systemToSystem:
  website: { roles: [api], addresses: [192.0.2.0/24] }
settings:
  accessTokenLifetime: 15m
`

/** Texts that YAML reads as other types, and arbitrary ones. */
const line = fc.oneof(
  fc.constantFrom('no', '2024', '1e3', '0x1', '- a', 'a: b', '# a', '{a}', '"', "'", ' a ', '~', '*a', '<<'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
)
const oneName = fc.oneof(
  fc.constantFrom('no', 'null', '010', '-', 'constructor', 'a'),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/),
)
const optional = { requiredKeys: [] } as { requiredKeys: [] }
const typed = { requiredKeys: ['type'] } as { requiredKeys: ['type'] }

/** Valid ones: fields of every type, endpoints on existing fields, members and accounts with row filters. */
const rightFile: fc.Arbitrary<WorkspaceFile> = fc
  .record({
    workspace: fc.constantFrom('made-a', 'made-b', 'made-c'),
    title: line,
    account: line.filter(name => name !== '__proto__' && new RegExp(accountNamePattern).test(name)),
    application: line.filter(name => name !== '__proto__' && new RegExp(accountNamePattern).test(name)),
    collection: oneName,
    id: fc.record({ field: line, uri: fc.constant('https://example.org/{id}') }, optional),
    class: fc.oneof(fc.array(line, { maxLength: 2 }), fc.record({ field: line })),
    language: fc.constantFrom('danish' as const, 'none' as const),
    fields: fc.dictionary(
      // A field of this name would be the object's prototype; the reader rejects it.
      line.filter(name => name !== '__proto__' && name !== 'tag' && name !== 'text'),
      fc.oneof(
        fc.record(
          {
            type: fc.constant('text' as const),
            weight: fc.integer({ min: 1, max: 9 }),
            suggest: fc.boolean(),
          },
          typed,
        ),
        fc.record(
          { type: fc.constantFrom('keyword' as const, 'date' as const, 'geo' as const), title: line },
          typed,
        ),
        fc.record({ type: fc.constant('vector' as const), dimensions: fc.integer({ min: 1, max: 9 }) }),
      ),
      { maxKeys: 3 },
    ),
    synonyms: fc.array(fc.array(line, { minLength: 2, maxLength: 3 }), { maxLength: 2 }),
    value: line,
    query: line,
    roles: fc.uniqueArray(fc.constantFrom('user' as const, 'api' as const, 'data-provider' as const), {
      minLength: 1,
    }),
    own: fc.boolean(),
    lifetime: fc.constantFrom('60s', '15m', '24h'),
  })
  .map(
    ({
      workspace,
      title,
      account,
      application,
      collection,
      value,
      query,
      roles,
      own,
      lifetime,
      ...parts
    }) => ({
      workspace,
      title,
      description: query,
      collections: {
        [collection]: {
          ...parts,
          fields: { ...parts.fields, tag: { type: 'keyword' as const }, text: { type: 'text' as const } },
        },
      },
      configurations: { [collection]: { [collection]: 'latest' } },
      apis: {
        [collection]: {
          title,
          access: own ? ('public' as const) : ('members' as const),
          endpoints: {
            search: { kind: 'match' as const, collection, parameter: collection },
            only: { kind: 'filter' as const, field: 'tag', value: `1(${JSON.stringify(value)})` },
            best: { kind: 'mix' as const, of: { search: 0.5 } },
          },
          curation: [{ when: { [collection]: query }, endpoint: 'search', pin: [query], bury: [] }],
        },
      },
      members: { 'Ursula@example.org': { roles, filter: { tag: [value, 3] } } },
      applications: { [application]: { title, own, redirectUris: ['https://example.org/?a=b'] } },
      systemToSystem: { [account]: { roles: ['api' as const], filter: { tag: value } } },
      identityProvider: null,
      settings: { accessTokenLifetime: lifetime, queryLog: { keep: '5d' } },
    }),
  )
  // The field of an id is of few types.
  .filter(({ collections }) =>
    Object.values(collections).every(({ id, fields }) => !Object.hasOwn(fields, id?.field ?? 'id')),
  )

describe('a workspace file', () => {
  it('names the collections whose documents it indexes again', async () => {
    const source = (fields: string, endpoint = '') =>
      `workspace: rebuilt\ncollections: { a: { fields: { ${fields} } }, b: { fields: { z: { type: date } } } }\napis: { x: { endpoints: { s: { kind: match, collection: a${endpoint} } } } }`
    const rebuilds = async (text: string) => (await apply('operator', text, true)).body.rebuilds
    assert.deepEqual(await rebuilds(source('x: { type: text }')), [])
    await apply('operator', source('x: { type: text }'))
    assert.deepEqual(await rebuilds(source('x: { type: text, weight: 2, title: X }')), [])
    assert.deepEqual(await rebuilds(source('x: { type: text }, y: { type: keyword }')), ['a'])
    assert.deepEqual(await rebuilds(source('x: { type: text }', ', typos: true')), ['a'])
  })
  it('applies what a dry run showed, or nothing if the workspace has changed meanwhile', async () => {
    const source = (title: string, fields: string) =>
      `workspace: planned\ntitle: ${title}\ncollections: { a: { fields: { ${fields} } } }\nmembers: { ada@example.org: [administrator] }`
    await apply('operator', source('One', 'x: { type: text }'))
    const mine = source('Two', 'x: { type: text }')
    const dry = await apply('operator', mine, true)
    const send = (plan: string) => server.call('operator', 'POST', '/manage/v1/apply', { source: mine, plan })
    // Somebody else adds a field, which `mine` would delete.
    await apply('operator', source('One', 'x: { type: text }, y: { type: number }'))
    const refusal = await send(dry.body.plan)
    assert.deepEqual([refusal.status, refusal.body.code], [409, 'conflict'])
    assert.match(await exported('operator', 'planned'), /title: One[\s\S]*y:/)
    const secondRun = await apply('operator', mine, true)
    const applied = await send(secondRun.body.plan)
    assert.deepEqual([applied.status, applied.body.changes], [200, secondRun.body.changes])
    assert.equal((await send(secondRun.body.plan)).status, 409)
    const commented = await apply('operator', mine, true)
    await apply('operator', `# A note\n${mine}`)
    assert.equal((await send(commented.body.plan)).status, 409, 'it would delete the comment')
  })

  it('applies an edited export, or nothing if somebody has changed the workspace since, even a comment', async () => {
    const source = (title: string) =>
      `workspace: edited\ntitle: ${title}\nmembers: { ada@example.org: [administrator] }\n`
    const readTag = async () =>
      (await server.call('operator', 'GET', '/manage/v1/workspaces/edited/file')).body.tag
    const send = (base: string, dryRun = false) =>
      server.call('operator', 'POST', '/manage/v1/apply', { source: source('Mine'), base, dryRun })
    await apply('operator', source('One'))
    const tag = await readTag()
    assert.equal((await send(tag, true)).status, 200)
    await server.call('operator', 'PATCH', '/manage/v1/workspaces/edited/settings', { title: 'Two' })
    for (const dryRun of [true, false]) {
      const refusal = await send(tag, dryRun)
      assert.deepEqual([refusal.status, refusal.body.code], [409, 'conflict'])
    }
    assert.match(await exported('operator', 'edited'), /title: Two/)
    const commentedTag = await readTag()
    await apply('operator', `# A note\n${source('Two')}`)
    assert.equal((await send(commentedTag)).status, 409, 'it would delete the comment')
    assert.equal((await send(await readTag())).status, 200)
    assert.match(await exported('operator', 'edited'), /title: Mine/)
  })

  it('is made a workspace by an operator, who becomes its administrator; dry run only tells', async () => {
    const dry = await apply('operator', dictionary, true)
    assert.deepEqual([dry.status, dry.body.created, dry.body.dryRun], [200, true, true])
    assert.equal(
      (await server.call('operator', 'GET', '/manage/v1/workspaces/dictionary/members')).status,
      404,
    )
    const { status, body } = await apply('operator', dictionary)
    assert.equal(status, 200)
    assert.deepEqual(
      [body.workspace, body.created, body.dryRun, body.warnings],
      ['dictionary', true, false, []],
    )
    assert.deepEqual(body.changes, dry.body.changes)
    assert.deepEqual(paths(body).toSorted(), [
      'add apis.dictionary',
      'add applications.finder',
      'add collections.entries',
      'add configurations.default',
      'add members.ada@example.org',
      'add members.operator@example.org',
      'add members.ursula@example.org',
      'add settings.accessTokenLifetime',
      'add systemToSystem.website',
      'add title',
    ])
    const workspace = await server.directory.workspace('dictionary')
    assert.equal(server.reconciled.at(-1), workspace?.id)
  })
  it('replaces no workspace that is there when it is to make a new one, whoever asks', async () => {
    const sourceBefore = await exported('ada', 'books')
    for (const dryRun of [false, true]) {
      const source = 'workspace: books\ntitle: Another'
      const reply = await server.call('operator', 'POST', '/manage/v1/apply', {
        source,
        dryRun,
        onlyNew: true,
      })
      assert.deepEqual([reply.status, reply.body.code], [409, 'conflict'])
      assert.match(reply.body.message, /workspace books already exists/)
    }
    assert.equal(await exported('ada', 'books'), sourceBefore)
  })
  it('changes nothing when it is applied again, by whoever administers it', async () => {
    for (const person of ['operator', 'ada'] as const) {
      const secondApply = await apply(person, dictionary)
      assert.deepEqual(
        [secondApply.status, secondApply.body.changes, secondApply.body.created],
        [200, [], false],
      )
    }
  })
  it('comes back from export, and changes nothing then either', async () => {
    const source = await exported('ada', 'dictionary')
    assert.match(source, /^workspace: dictionary$/m)
    assert.match(source, /^ {2}website:/m)
    assert.deepEqual((await apply('ada', source)).body.changes, [])
  })
  it('tells each difference with before and after, and keeps Client IDs', async () => {
    const list = async () =>
      (await server.call('ada', 'GET', '/manage/v1/workspaces/dictionary/system-to-system')).body.items
    const [account] = await list()
    const changed = dictionary
      .replace('weight: 3', 'weight: 2')
      .replace('title: Finder', 'title: Seeker')
      .replace('192.0.2.0/24', '198.51.100.7')
      .replace('filter: { domain: [noun.animal] }', 'filter: { domain: [noun.plant] }')
      .replace('      domain: { kind: facet, field: domain }\n', '')
    const { body } = await apply('ada', changed)
    assert.deepEqual(paths(body), [
      'change collections.entries.fields.title',
      'remove apis.dictionary.endpoints.domain',
      'change members.ursula@example.org',
      'change applications.finder',
      'change systemToSystem.website',
    ])
    assert.deepEqual(body.changes[0].before, { type: 'text', weight: 3 })
    assert.deepEqual(body.changes[0].after, { type: 'text', weight: 2 })
    const [now] = await list()
    assert.deepEqual([now.clientId, now.addresses], [account.clientId, ['198.51.100.7']])
    assert.deepEqual((await apply('ada', changed)).body.changes, [])
    await apply('ada', dictionary)
  })
  it('removes nobody for not being named, but the parts of the definition that it leaves out', async () => {
    const short =
      'workspace: dictionary\ncollections: { entries: { fields: { domain: { type: keyword } } } }\n'
    const dry = await apply('ada', short, true)
    assert.deepEqual(
      paths(dry.body).filter(path => /members|applications|systemToSystem/.test(path)),
      [],
    )
    assert.ok(paths(dry.body).includes('remove apis.dictionary'))
    assert.ok(paths(dry.body).includes('remove settings.accessTokenLifetime'))
  })
  it('tells what becomes of documents', async () => {
    const retyped = dictionary.replace('title: { type: text, weight: 3 }', 'title: { type: number }')
    const source = retyped.replace('fields: [title] }', '}').replace('match', 'all')
    const { body } = await apply('ada', source, true)
    assert.deepEqual(body.warnings, [
      {
        path: 'collections.entries.fields.title',
        message: body.warnings[0].message,
        code: 'retyped-field',
        values: { type: 'number' },
        line: 8,
        column: 7,
      },
    ])
    const identified = dictionary.replace('domain: { type: keyword }', 'id: { type: keyword }\n      $&')
    assert.equal((await apply('ada', identified, true)).body.warnings[0].code, 'new-id-field')
    const short = 'workspace: dictionary\nmembers: { ursula@example.org: [api] }\n'
    const [removed] = (await apply('ada', short, true)).body.warnings
    assert.deepEqual([removed.code, removed.values], ['removed-collection', { collection: 'entries' }])
  })
  it('has System-to-System accounts with the names that people give them in the console', async () => {
    await apply('operator', 'workspace: shops\n')
    const path = '/manage/v1/workspaces/shops/system-to-system'
    for (const name of ['Web shop', 'Zoëkmachine: 2.0 #1', 'line\nbreak'])
      assert.equal((await server.call('operator', 'POST', path, { name, roles: ['api'] })).status, 201, name)
    const source = await exported('operator', 'shops')
    assert.match(source, /^ {2}Web shop:/m)
    assert.match(source, /^ {2}"Zoëkmachine: 2.0 #1":/m)
    assert.match(source, /^# Not written here.*"line\\nbreak"$/m)
    assert.deepEqual((await apply('operator', source)).body.changes, [])
    const changed = await apply(
      'operator',
      'workspace: shops\nsystemToSystem: { Web shop: { roles: [api, data-provider] } }\n',
      true,
    )
    assert.ok(paths(changed.body).includes('change systemToSystem.Web shop'))
    for (const name of ['" shop"', '"shop "', '""', '"a\\nb"']) {
      const { status, body } = await apply(
        'operator',
        `workspace: shops\nsystemToSystem: { ${name}: { roles: [api] } }\n`,
        true,
      )
      assert.deepEqual([status, body.code], [400, 'bad-workspace-file'], name)
    }
  })
  it('has applications with the names that people give them in the console', async () => {
    await apply('operator', 'workspace: stores\n')
    const path = '/manage/v1/workspaces/stores/applications'
    const redirectUris = ['https://shop.example/back']
    for (const name of ['Hemel webshop', 'Zoë: 2.0 #1', 'a.b'])
      assert.equal((await server.call('operator', 'POST', path, { name, redirectUris })).status, 201, name)
    const source = await exported('operator', 'stores')
    assert.match(source, /^ {2}Hemel webshop:/m)
    assert.match(source, /^ {2}"Zoë: 2.0 #1":/m)
    assert.doesNotMatch(source, /Not written here/)
    assert.deepEqual((await apply('operator', source)).body.changes, [])
    const changed = await apply('operator', source.replace('Hemel webshop:', 'Hemel winkel:'), true)
    assert.deepEqual(paths(changed.body), ['add applications.Hemel winkel'])
  })
  it('comes back from export the same, whatever it says', () =>
    fc.assert(
      fc.asyncProperty(rightFile, async file => {
        const source = JSON.stringify(file)
        const first = await apply('operator', source)
        assert.equal(first.status, 200, `${source}\n${first.body.message}`)
        const exportedSource = await exported('operator', file.workspace)
        const secondApply = await apply('operator', exportedSource)
        assert.equal(secondApply.status, 200, `${exportedSource}\n${secondApply.body.message}`)
        assert.deepEqual(secondApply.body.changes, [])
        assert.deepEqual((await apply('operator', source)).body.changes, [])
        assert.equal(await exported('operator', file.workspace), exportedSource)
      }),
      { numRuns: chooseRuns(12, 50) },
    ))
})

describe('who may apply', () => {
  it('a user may change content, not what is the administrators’ alone; then the file is refused as a whole', async () => {
    const source = await exported('ursula', 'books')
    assert.doesNotMatch(source, /members|applications|systemToSystem/)
    assert.deepEqual((await apply('ursula', source)).body.changes, [])
    const content = await apply('ursula', source.replace('title: Books', 'title: All books'))
    assert.deepEqual([content.status, paths(content.body)], [200, ['change title']])
    for (const part of [
      'members: { nobody@example.org: [api] }',
      'applications: { web: { redirectUris: ["https://example.org/"] } }',
      'systemToSystem: { web: { roles: [api] } }',
      'settings: { accessTokenLifetime: 5m }',
    ]) {
      const refusal = await apply('ursula', `${source.replace('title: Books', 'title: Mine')}\n${part}\n`)
      assert.equal(refusal.status, 403, part)
      assert.match(
        refusal.body.message,
        new RegExp(`the file changes ${part.split(':')[0]}\\.\\S+, which only administrators may`),
      )
      assert.match(refusal.headers.get('www-authenticate') ?? '', /insufficient_scope/)
    }
    assert.doesNotMatch(await exported('ada', 'books'), /Mine/)
  })
  it('a user reads no settings, in the export as elsewhere, and keeps them by applying that export', async () => {
    const file =
      'workspace: hushed\nsettings: { origins: ["https://partner.example"] }\nidentityProvider: null\n'
    await apply(
      'operator',
      `${file}members: { ursula@example.org: [user], ada@example.org: [administrator] }\n`,
    )
    const read = await server.call('ursula', 'GET', '/manage/v1/workspaces/hushed/settings')
    assert.deepEqual([read.status, read.body.code], [403, 'insufficient-scope'])
    const source = await exported('ursula', 'hushed')
    assert.doesNotMatch(source, /settings|partner|identityProvider/)
    const titled = await apply('ursula', `${source}title: Hushed\n`)
    assert.deepEqual([titled.status, paths(titled.body)], [200, ['add title']])
    const settings = await server.call('ada', 'GET', '/manage/v1/workspaces/hushed/settings')
    assert.deepEqual(settings.body.origins, ['https://partner.example'])
    const cleared = await apply('ada', 'workspace: hushed\ntitle: Hushed\n')
    assert.deepEqual(paths(cleared.body), ['remove settings.origins'])
  })
  it('an API is made public, or the members’ again, by an administrator alone', async () => {
    const file = (apis: string) => `workspace: doors\ncollections: { c: {} }\napis: { ${apis} }\n`
    const api = (access: string) => `${access}endpoints: { all: { kind: all, collection: c } }`
    const [members, open] = [api(''), api('access: public, ')]
    const source = `${file(`shut: { ${members} }, open: { ${open} }`)}members: { ursula@example.org: [user] }\n`
    assert.equal((await apply('operator', source)).status, 200)
    for (const [apis, warnedApis] of [
      [`shut: { ${open} }, open: { ${open} }`, 'shut'],
      [`shut: { ${members} }, open: { ${members} }`, 'open'],
      [`shut: { ${members} }, open: { ${open} }, other: { ${open} }`, 'other'],
    ] as const)
      for (const dryRun of [false, true]) {
        const { status, body } = await apply('ursula', file(apis), dryRun)
        assert.equal(status, 403, warnedApis)
        assert.match(
          body.message,
          new RegExp(`changes apis\\.${warnedApis}\\.access, which only administrators may`),
        )
      }
    const allowed = file(`shut: { ${api('access: members, ')} }, open: { ${open} }, other: { ${members} }`)
    assert.equal((await apply('ursula', allowed)).status, 200)
    assert.equal((await apply('operator', file(`shut: { ${open} }`))).status, 200)
  })
  it('a user with a row filter changes nothing that a public API shows, by no part of the file, by no generation', async () => {
    const file = (parts: Record<string, string> = {}) => {
      const { docs, staging, pub, own, rest } = {
        docs: '{ fields: { title: { type: text }, section: { type: keyword } } }',
        staging: '{ docs: live }',
        pub: '{ access: public, endpoints: { all: { kind: all, collection: docs } }, curation: [] }',
        own: '{ endpoints: { all: { kind: all, collection: notes } } }',
        rest: '',
        ...parts,
      }
      return `workspace: shown
collections: { docs: ${docs}, notes: { fields: { section: { type: keyword } } } }
configurations: { staging: ${staging} }
apis: { ${pub ? `pub: ${pub}, ` : ''}own: ${own} }
${rest}`
    }
    const member = 'members: { ursula@example.org: { roles: [user], filter: { section: public } } }\n'
    assert.equal((await apply('operator', file({ rest: member }))).status, 200)
    const attacks: [part: string, source: string][] = [
      [
        'apis.pub',
        file({ pub: '{ access: public, endpoints: { leak: { kind: match, collection: docs } } }' }),
      ],
      ['apis.pub', file({ pub: '{ access: public, endpoints: { all: { kind: all, collection: notes } } }' })],
      ['apis.pub', file({ pub: '' })],
      ['collections.docs', file({ docs: '{ fields: { section: { type: keyword } } }' })],
      [
        'collections.docs',
        file({
          docs: '{ fields: { title: { type: text }, section: { type: keyword } }, synonyms: [[a, b]] }',
        }),
      ],
      ['configurations.staging', file({ staging: '{ docs: latest }' })],
    ]
    for (const [part, source] of attacks)
      for (const dryRun of [true, false]) {
        const { status, body } = await apply('ursula', source, dryRun)
        assert.deepEqual([status, body.code], [403, 'insufficient-scope'], source)
        assert.ok(body.message.startsWith(`${part} `), body.message)
      }
    for (const [action, body] of [
      ['promote', {}],
      ['rollback', undefined],
    ] as const) {
      const path = (collection: string) =>
        `/manage/v1/workspaces/shown/collections/${collection}/generations/${action}`
      const refusal = await server.call('ursula', 'POST', path('docs'), body)
      assert.deepEqual([refusal.status, refusal.body.code], [403, 'insufficient-scope'], action)
      assert.equal((await server.call('ursula', 'POST', path('notes'), body)).status, 403, action)
    }
    const unrelatedApply = await apply(
      'ursula',
      file({ own: '{ title: Own, endpoints: { all: { kind: all, collection: notes } } }' }),
    )
    assert.equal(unrelatedApply.status, 200, 'what no public API shows')
    await apply('operator', file({ rest: member.replace(', filter: { section: public }', '') }))
    for (const [, source] of attacks) assert.equal((await apply('ursula', source, true)).status, 200, source)
  })
  it('nobody else, and new workspaces are the operators’: the answers are the same', async () => {
    const foreign = await apply('eve', 'workspace: books\n')
    const absent = await apply('eve', 'workspace: brand-new\n')
    assert.deepEqual([foreign.status, foreign.body.message], [403, absent.body.message])
    assert.match(absent.body.message, /only operators create workspaces/)
  })
  it('a System-to-System account may not', async () => {
    const account = await server.call('ada', 'POST', '/manage/v1/workspaces/books/system-to-system', {
      name: 'robot',
      roles: ['api', 'data-provider'],
    })
    const { clientId } = account.body
    const token = await server.token({
      subject: clientId,
      clientId,
      audience: 'http://127.0.0.1:4001/manage/',
    })
    const reply = await server.call({ token }, 'POST', '/manage/v1/apply', { source: 'workspace: books\n' })
    assert.equal(reply.status, 403)
  })
})

it('a configuration is marked public by a boolean; text under that key is the choice for a collection named so', async () => {
  const file = (configuration: string, collections = 'docs: {}') =>
    `workspace: marked\ncollections: { ${collections} }\napis: { pub: { access: public, endpoints: { all: { kind: all, collection: docs } } } }\nconfigurations: { default: ${configuration} }\n`
  const warned = await apply('operator', file('{ docs: latest }'))
  assert.deepEqual([warned.status, warned.body.warnings[0]?.path], [200, 'configurations.default'])
  const marked = await apply('operator', file('{ docs: latest, public: true }'))
  assert.deepEqual([marked.status, marked.body.warnings], [200, []])
  assert.deepEqual((await apply('operator', await exported('operator', 'marked'))).body.changes, [])
  const noCollection = await apply('operator', file('{ public: latest }'))
  assert.deepEqual([noCollection.status, noCollection.body.code], [400, 'bad-workspace-file'])
  const collection = await apply('operator', file('{ public: latest }', 'docs: {}, public: {}'))
  assert.deepEqual([collection.status, collection.body.warnings.length], [200, 1])
  const unrelatedApply = await apply('operator', file('{ docs: true }'))
  assert.deepEqual(
    [unrelatedApply.status, unrelatedApply.body.errors[0].path],
    [400, 'configurations.default.docs'],
  )
})

it('an API that no endpoint gives a collection to is warned of, where there are several', async () => {
  const file = (collections: string, endpoint: string) =>
    `workspace: vague\ncollections: { ${collections} }\napis: { a: { endpoints: { red: { ${endpoint}field: colour, value: red } } } }\n`
  const [first, second] = ['cars: { fields: { colour: { type: keyword } } }', 'people: {}']
  const warned = async (source: string) => (await apply('operator', source, true)).body.warnings
  const [warning] = await warned(file(`${first}, ${second}`, 'kind: filter, '))
  assert.deepEqual([warning.path, warning.line], ['apis.a', 3])
  assert.match(warning.message, /several \(cars, people\): the API cannot answer/)
  assert.deepEqual(await warned(file(first, 'kind: filter, ')), [])
  assert.deepEqual(await warned(file(`${first}, ${second}`, 'kind: filter, collection: cars, ')), [])
})

it('a synonym without letters and digits is warned of at its place', async () => {
  const file = (synonyms: string) =>
    `workspace: vague\ncollections: { cars: { fields: { t: { type: text } }, synonyms: ${synonyms} } }\n`
  const { body } = await apply('operator', file('[["&", and], { from: [js], to: [javascript, "…"] }]'), true)
  assert.deepEqual(
    body.warnings.map(({ path, line }: { path: string; line: number }) => [path, line]),
    [
      ['collections.cars.synonyms.0.0', 2],
      ['collections.cars.synonyms.1.to.1', 2],
    ],
  )
  const fine = await apply('operator', file('[[the, le], [C++, "№ 5"]]'), true)
  assert.deepEqual(fine.body.warnings, [])
})

describe('a file that is refused', () => {
  it('is told all places with line and column', async () => {
    const { status, body } = await apply(
      'ada',
      'workspace: books\ncollections:\n  novels:\n    colour: red\n    fields: 3\n',
    )
    assert.deepEqual([status, body.code, body.errors.length], [400, 'bad-workspace-file', 2])
    assert.match(body.message, /^line 4, column 5: collections\.novels\.colour/)
    assert.deepEqual([body.errors[1].line, body.errors[1].path], [5, 'collections.novels.fields'])
  })
  it('has keys of applications that are no public ones, each with its place', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = JSON.stringify(privateKey.export({ format: 'jwk' }))
    const file = (keys: string) =>
      `workspace: books\napplications:\n  signer:\n    type: server\n    redirectUris: [https://example.org/]\n    publicKeys: { keys: [${keys}] }\n`
    const refusal = await apply('ada', file(key))
    assert.equal(refusal.status, 400)
    const [place] = refusal.body.errors
    assert.equal(place.path, 'applications.signer.publicKeys.keys.0')
    assert.match(place.message, /"d" belongs to a private key/)
    assert.equal(place.line, 6)
    assert.equal((await apply('ada', file('{ kty: EC, crv: P-256, x: no, y: point }'))).status, 400)
  })
  it('may keep keys of an application that rules of today would refuse, not add another', async () => {
    const makePublicKey = (use: string) => {
      const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
      return { ...publicKey.export({ format: 'jwk' }), kid: 'one', use }
    }
    const keys = [makePublicKey('sig'), makePublicKey('enc')]
    const settings = { type: 'server' as const, redirectUris: ['https://example.org/'], origins: [] }
    const client = await server.storage.write(writer =>
      createClient(writer, {
        kind: 'application',
        workspaceId: server.books.id,
        name: 'older',
        settings: { ...settings, logoutUris: [], own: false, publicKeys: { keys } },
      }),
    )
    const file = (keys: unknown[], title: string) =>
      JSON.stringify({
        workspace: 'books',
        applications: { older: { ...settings, title, publicKeys: { keys } } },
      })
    const accepted = await apply('ada', file(keys, 'Signs still'), true)
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body))
    assert.ok(accepted.body.changes.some(({ path }: { path: string }) => path === 'applications.older'))
    const refusal = await apply('ada', file([...keys, makePublicKey('sig')], 'Signs still'), true)
    assert.deepEqual(
      [refusal.status, refusal.body.errors?.[0]?.path],
      [400, 'applications.older.publicKeys.keys.0'],
    )
    await server.storage.db
      .deleteFrom('clients')
      .where('id', '=', client?.id ?? '')
      .execute()
  })
  it('can only name an embedder that the operator configured', async () => {
    const embedded = await apply(
      'ada',
      'workspace: books\ncollections:\n  novels:\n    fields:\n      t: { type: text }\n      v: { type: vector, dimensions: 2, embed: { fields: [t], with: small } }\n',
      true,
    )
    assert.deepEqual([embedded.status, embedded.body.code], [400, 'bad-workspace-file'])
    assert.equal(embedded.body.errors[0].path, 'collections.novels.fields.v.embed.with')
  })
  it('may name generations that are kept, and no others', async () => {
    const naming = async (choice: string) => {
      const source = `${await exported('ada', 'books')}configurations:\n  staging: { novels: ${choice} }\n`
      return apply('ada', source, true)
    }
    for (const choice of ['live', 'latest', '"1"']) assert.equal((await naming(choice)).status, 200, choice)
    const { status, body } = await naming('"7"')
    assert.deepEqual([status, body.code], [400, 'bad-workspace-file'])
    assert.match(
      body.message,
      /^line \d+, column 22: configurations\.staging\.novels: found "7", allowed: live, latest, or a generation of novels: 3, 2, 1$/,
    )
  })
  it('is told that it is empty, or too long, with its place', async () => {
    for (const [source, message] of [
      ['', /^line 1, column 1: the file is empty/],
      [`workspace: books\n#${'x'.repeat(1024 * 1024)}`, /^line 1, column 1: the file is larger than/],
    ] as const) {
      const { status, body } = await apply('ada', source)
      assert.deepEqual([status, body.code], [400, 'bad-workspace-file'])
      assert.match(body.message, message)
    }
  })
  it('may not take a field that the row filter of somebody works on whom it does not name', async () => {
    const account = await server.call('ada', 'POST', '/manage/v1/workspaces/books/system-to-system', {
      name: 'shop',
      roles: ['api'],
    })
    const path = `/manage/v1/workspaces/books/system-to-system/${account.body.clientId}`
    await server.call('ada', 'PATCH', path, { filter: { genre: 'crime' } })
    const member = '/manage/v1/workspaces/books/members/apollo@example.org'
    await server.call('ada', 'PUT', member, { roles: ['api'], filter: { genre: ['crime'] } })
    const sourceWithoutGenre =
      'workspace: books\ncollections:\n  novels:\n    fields:\n      title: { type: text }\n'
    for (const dryRun of [true, false]) {
      const { status, body } = await apply('ada', sourceWithoutGenre, dryRun)
      assert.deepEqual([status, body.code, body.errors.length], [400, 'bad-workspace-file', 2])
      assert.match(body.message, /^line 5, column 7: collections\.novels\.fields\.genre: the row filter of /)
      assert.deepEqual(
        body.errors.map(({ code, values }: ErrorPlace) => [code, values]),
        ['members.apollo@example.org', 'systemToSystem.shop'].map(holder => [
          'field-of-row-filter',
          { holder, field: 'genre' },
        ]),
      )
    }
    // An unfilterable type is rejected too; and non-administrators learn no names.
    const text = await apply(
      'ursula',
      sourceWithoutGenre.replace('{ type: text }', '{ type: text }\n      genre: { type: text }'),
    )
    assert.equal(text.status, 400)
    assert.equal(text.body.errors[0].code, 'field-of-hidden-row-filter')
    assert.doesNotMatch(JSON.stringify(text.body), /apollo|shop/)
    const changed = `${sourceWithoutGenre}members: { apollo@example.org: [api] }\nsystemToSystem: { shop: { roles: [api] } }\n`
    assert.equal((await apply('ada', changed, true)).status, 200)
    const source = await exported('ada', 'books')
    assert.deepEqual((await apply('ada', source)).body.changes, [], 'its export can be applied')
    await server.call('ada', 'PUT', member, { roles: ['api'], filter: null })
    await server.call('ada', 'DELETE', path)
  })
  it('is not kept by an administrator who is only invited: they could be nobody', async () => {
    const source = (await exported('eve', 'films')).replace(
      'eve@example.org:',
      'ghost@example.org: [administrator]\n  eve@example.org:',
    )
    const { status, body } = await apply(
      'eve',
      source.replace(/(eve@example.org:)[\s\S]*?administrator/, '$1\n    roles:\n      - api'),
    )
    assert.deepEqual([status, body.code], [409, 'conflict'])
  })
  it('cannot remove the last administrator, and its dry run says so', async () => {
    const source = (await exported('ada', 'books')).replace(
      /ada@example\.org:\s+(- administrator|\[administrator\])/,
      'ada@example.org: [user]',
    )
    assert.match(source, /ada@example\.org: \[user\]/)
    const line = source.split('\n').findIndex(text => text.includes('ada@example.org')) + 1
    for (const dryRun of [true, false]) {
      const { status, body } = await apply('ada', source, dryRun)
      assert.deepEqual([status, body.code], [409, 'conflict'])
      const [{ message: _, ...place }] = body.errors
      assert.deepEqual(place, {
        path: 'members.ada@example.org',
        line,
        column: 3,
        code: 'last-administrator',
        values: {},
      })
    }
  })
  it('may hand administration on in one go', async () => {
    const files =
      'workspace: films\nmembers: { eve@example.org: [user], apollo@example.org: [administrator] }\n'
    assert.equal((await apply('eve', files)).status, 200)
    assert.equal((await apply('apollo', files)).status, 200)
  })
  it('does not make an operator less than administrator of what they apply first', async () => {
    const { status, body } = await apply(
      'operator',
      'workspace: other\nmembers: { operator@example.org: [user] }\n',
    )
    assert.equal(status, 400)
    assert.match(body.message, /becomes its administrator/)
  })
})

it('applies at the same time are one after the other: the first changes, the others find nothing to change', async () => {
  const base = await exported('ada', 'dictionary')
  const extendedSource = base.replace('    fields:\n', '    fields:\n      more:\n        type: keyword\n')
  const replies = await Promise.all([
    apply('ada', extendedSource),
    apply('ada', extendedSource),
    apply('operator', extendedSource),
  ])
  assert.deepEqual(replies.map(({ status, body }) => `${status} ${paths(body)}`).toSorted(), [
    '200 ',
    '200 ',
    '200 add collections.entries.fields.more',
  ])
})
