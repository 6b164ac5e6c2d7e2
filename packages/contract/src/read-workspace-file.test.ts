import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readWorkspaceFile } from './read-workspace-file.ts'
import { workspaceLimits } from './workspace-limits.ts'

/** The sample of workspace-file.md. */
const sample = `workspace: dictionary              # slug: a-z 0-9 -, 1 to 63 characters
title: The English dictionary

collections:
  entries:
    id: { field: id, uri: "https://wordnet.example/{id}" }   # an id that is an absolute URI is kept as it is
    class: [https://schema.org/DefinedTerm]                  # or { field: type }
    language: english                                        # default for text fields
    fields:
      title:        { type: text, weight: 3, suggest: true }
      definition:   { type: text }
      examples:     { type: text, weight: 0.5 }              # arrays are fine for any type
      partOfSpeech: { type: keyword, title: Part of speech }
      domain:       { type: keyword }
      senses:       { type: number }
      added:        { type: date }
      place:        { type: geo }                            # {lat, lon}
      meaning:      { type: vector, dimensions: 384 }        # brought by whoever imports
    synonyms: [[car, automobile], [tv, television, flat screen], { from: [js], to: [javascript] }]

configurations:                    # names for \`config\`: which generation of each collection answers
  default: {}                      # live: the promoted one
  staging: { entries: latest }     # the newest, promoted or not

apis:
  dictionary:
    title: Dictionary
    access: members                # or public
    endpoints:
      search:       { kind: match, collection: entries, fields: [title, definition, examples], parameter: query, typos: true }
      everything:   { kind: all, collection: entries }
      complete:     { kind: match, collection: entries, fields: [title], prefix: true }
      entry:        { kind: lookup, collection: entries }
      domain:       { kind: facet, field: domain, title: Domain }            # gives domain and domain:FILTER
      partOfSpeech: { kind: facet, field: partOfSpeech }
      senses:       { kind: range, field: senses }
      nouns:        { kind: filter, field: partOfSpeech, value: noun }       # fixed; or parameter: value
      by-title:     { kind: sort, field: title, order: ascending }
      like:         { kind: similar, collection: entries, fields: [definition] }
      meaning:      { kind: nearest, collection: entries, field: meaning }
      best:         { kind: mix, of: { search: 0.7, meaning: 0.3 } }         # weights; reciprocal rank fusion, or scores: true
    curation:
      - { when: { query: bank }, endpoint: search, pin: ["https://wordnet.example/bank-1"], bury: [] }

members:                           # people by address; nobody is removed for not being named here
  ada@example.org: [administrator]
  bob@example.org: { roles: [api], filter: { domain: [noun.animal, noun.plant] } }     # a row filter
applications:
  finder: { title: Finder, type: browser, redirectUris: ["http://localhost:5173/callback"], origins: [], logoutUris: [], own: false }
systemToSystem:
  website: { roles: [api], addresses: [] }   # client id kept; a secret is made with \`querent s2s\`, never written here
identityProvider: null             # or { issuer, clientId, domains: [example.org] }; its secret is set apart
settings:
  accessTokenLifetime: 15m
  requireSecondFactor: false
  origins: []                      # more origins whose pages may query
  allowMetadataClients: false
  queryLog: { parameters: off, keep: 30d }   # off, hashed or full
`

const parseFile = (source: string) => {
  const read = readWorkspaceFile(source)
  assert.ok('file' in read, JSON.stringify(read))
  return read.file
}

/** The errors as `line:column path message`. */
const readErrors = (source: string) => {
  const read = readWorkspaceFile(source)
  assert.ok('errors' in read, 'the file is accepted')
  return read.errors.map(({ line, column, path, message }) => `${line}:${column} ${path ?? ''} ${message}`)
}

/** The sample with one thing changed. */
const replaceInSample = (search: string, replacement: string) => {
  assert.ok(sample.includes(search), search)
  return sample.replace(search, replacement)
}

const addEndpoint = (endpoint: string) =>
  replaceInSample('      everything:', `      added: ${endpoint}\n      everything:`)

test('the sample of the documentation reads without errors, as YAML and as JSON', () => {
  const file = parseFile(sample)
  assert.equal(file.settings?.queryLog?.parameters, 'off')
  assert.equal(file.apis?.dictionary?.endpoints?.best?.kind, 'mix')
  assert.deepEqual(parseFile(JSON.stringify(file, null, '\t')), file)
})

test('characters are counted as JSON Schema counts them', () => {
  parseFile(`workspace: a\ntitle: ${'😀'.repeat(200)}`)
})

test('sets of synonyms are lists, or mappings of from and to', () => {
  const withSynonyms = (synonyms: string) =>
    `workspace: a\ncollections: { c: { fields: { t: { type: text } }, synonyms: [${synonyms}] } }`
  parseFile(withSynonyms('[a, b c], { from: [a b], to: [c, d] }'))
  for (const synonyms of [
    '[a]',
    'a',
    '{ from: [a] }',
    '{ from: [], to: [b] }',
    '{ from: a, to: [b] }',
    '{ from: [a], to: [b], both: true }',
    `[a, ${'b'.repeat(201)}]`,
  ])
    assert.ok('errors' in readWorkspaceFile(withSynonyms(synonyms)), synonyms)
})

test('an identity provider needs an issuer over https and domains, in any spelling', () => {
  const read = (provider: string) =>
    readWorkspaceFile(`workspace: a\nidentityProvider: { clientId: x, ${provider} }`)
  const accepted = [
    'issuer: "https://login.example.org/realms/a", domains: [example.org, a-b.co.uk, Example.org, bücher.example]',
    'issuer: "http://127.0.0.1:8080/", domains: [example.org], rolesClaim: roles, roles: { "*": [api] }',
  ]
  for (const provider of accepted) assert.ok('file' in read(provider), provider)
  const rejected: [provider: string, path: string][] = [
    ['issuer: "http://login.example.org", domains: [example.org]', 'identityProvider.issuer'],
    ['issuer: "https://login.example.org?x=1", domains: [example.org]', 'identityProvider.issuer'],
    ['issuer: "https://a:b@login.example.org", domains: [example.org]', 'identityProvider.issuer'],
    ['issuer: login.example.org, domains: [example.org]', 'identityProvider.issuer'],
    ['issuer: "https://login.example.org"', 'identityProvider.domains'],
    ['issuer: "https://login.example.org", domains: []', 'identityProvider.domains'],
    ['issuer: "https://login.example.org", domains: [1.2.3.4]', 'identityProvider.domains.0'],
    ['issuer: "https://login.example.org", domains: [xn--example.org]', 'identityProvider.domains.0'],
    ['issuer: "https://login.example.org", domains: ["*.example.org"]', 'identityProvider.domains.0'],
    ['issuer: "https://login.example.org", domains: ["@example.org"]', 'identityProvider.domains.0'],
    ['issuer: "https://login.example.org", domains: [localhost]', 'identityProvider.domains.0'],
    ['issuer: "https://login.example.org", domains: [example.org], secret: s', 'identityProvider.secret'],
  ]
  for (const [provider, path] of rejected) {
    const result = read(provider)
    assert.ok('errors' in result, provider)
    assert.deepEqual(
      result.errors.map(error => error.path),
      [path],
    )
  }
})

test('each error has its place, what was found and what is allowed', () => {
  const cases: [source: string, expected: RegExp][] = [
    ['', /^1:1 {2}the file is empty/],
    ['workspace: [', /^1:\d+ /],
    ['workspace: a\nworkspace: b', /^2:1 {2}duplicate key "workspace"/],
    ['workspace: a\n---\nworkspace: b', /^[23]:\d+ {2}the file contains a second document/],
    ['workspace: a\ntitel: A', /^2:1 titel unknown key "titel"; .*did you mean "title"\?/],
    [`workspace: a\ntitle: ${'😀'.repeat(201)}`, /^2:8 title found .*, allowed: text of 1 to 200 characters/],
    ['title: A', /^1:1 {2}"workspace" is missing; allowed: 1 to 63 characters of a-z 0-9 -/],
    ['workspace: A b', /^1:12 workspace found "A b", allowed: 1 to 63 characters of a-z 0-9 -/],
    ['- workspace', /^1:1 {2}found a list, allowed: a mapping/],
    ['workspace: a\ncollections:', /^2:\d+ collections found nothing, allowed: a mapping/],
    ['workspace: a\n__proto__: {}', /^2:1 {2}"__proto__" cannot be a name/],
    ['workspace: a\nmembers: { bob: [api] }', /^2:12 members.bob found "bob", allowed: an e-mail address/],
    [
      'workspace: a\nmembers: { b@x.org: [apu] }',
      /^2:\d+ members.b@x.org.0 found "apu", allowed: administrator, user, api, data-provider; did you mean "api"\?/,
    ],
    [
      replaceInSample('type: text, weight: 3', 'type: txt'),
      /^10:29 collections.entries.fields.title.type found "txt", allowed: text, keyword, .*did you mean "text"/,
    ],
    [
      replaceInSample('{ field: id, uri', '{ field: place, uri'),
      /^17:\d+ collections.entries.fields.place.type found "geo", allowed: text, keyword, number, date. This field is the id/,
    ],
    [replaceInSample('weight: 0.5', 'weight: 0'), /found 0, allowed: a number, more than 0, at most 1000/],
    [
      replaceInSample('dimensions: 384', 'dimension: 384'),
      /"dimensions" is missing; allowed: a whole number, 1 to 4096|unknown key "dimension"/,
    ],
    [
      replaceInSample('kind: all', 'kind: al'),
      /apis.dictionary.endpoints.everything.kind found "al", allowed: match, .*did you mean "all"/,
    ],
    [
      replaceInSample('kind: all,', ''),
      /apis.dictionary.endpoints.everything "kind" is missing; allowed: match, filter/,
    ],
    [
      replaceInSample('kind: all,', 'knd: all,'),
      /apis.dictionary.endpoints.everything.knd unknown key "knd"; did you mean "kind"\?/,
    ],
    [
      replaceInSample('typos: true', 'typo: true'),
      /endpoints.search.typo unknown key "typo"; .*did you mean "typos"/,
    ],
    [
      replaceInSample('typos: true', 'typos: { one: 6, two: 3 }'),
      /endpoints.search.typos.two found 3, allowed: at least 6/,
    ],
    [
      replaceInSample('typos: true', 'matching: some'),
      /endpoints.search.matching found "some", allowed: any, all, relaxed/,
    ],
    [
      replaceInSample(
        'domain:       { kind: facet, field: domain, title: Domain }',
        'domain: { kind: facet, field: senses, ranges: [{ to: 10 }, { from: 5 }] }',
      ),
      /ranges\.1 found 5\.\., which overlaps \.\.10/,
    ],
    [
      replaceInSample(
        'domain:       { kind: facet, field: domain, title: Domain }',
        'domain: { kind: facet, field: senses, ranges: [{ from: 10, to: 10 }] }',
      ),
      /ranges\.0 found 10\.\.10, which is empty/,
    ],
    [
      replaceInSample(
        'domain:       { kind: facet, field: domain, title: Domain }',
        'domain: { kind: facet, field: senses, ranges: [{ from: soon }] }',
      ),
      /ranges\.0\.from found "soon", allowed: a number/,
    ],
    [
      replaceInSample(
        'domain:       { kind: facet, field: domain, title: Domain }',
        'domain: { kind: facet, field: senses, interval: year }',
      ),
      /field .*senses/,
    ],
    [
      replaceInSample(
        'domain:       { kind: facet, field: domain, title: Domain }',
        'domain: { kind: facet, field: senses, interval: 0.00000001 }',
      ),
      /interval found 1e-8, allowed: a number with at most 6 decimals/,
    ],
    [
      replaceInSample(
        'domain:       { kind: facet, field: domain, title: Domain }',
        'domain: { kind: facet, field: domain, interval: 10, separator: / }',
      ),
      /found interval, separator, allowed: one of them/,
    ],
    [
      replaceInSample('{id}"', 'id"'),
      /collections.entries.id.uri found .*allowed: an absolute URI that contains \{id\}/,
    ],
    [
      replaceInSample(
        'senses:       { type: number',
        'senses: { type: number, decimal: ",", listSeparator: ","',
      ),
      /fields.senses.listSeparator found ",", allowed: a sign that is no part of a number/,
    ],
    [
      replaceInSample('language: english', 'language: englisch'),
      /found "englisch", allowed: arabic.*did you mean "english"/,
    ],
    [
      replaceInSample('kind: all, collection: entries', 'kind: all, collection: entrys'),
      /everything.collection no collection "entrys"; there are: entries; did you mean "entries"/,
    ],
    [
      replaceInSample('fields: [title, def', 'fields: [titel, def'),
      /endpoints.search.fields.0 no field "titel"; there are: title, .*did you mean "title"/,
    ],
    [
      replaceInSample('fields: [definition]', 'fields: [domain]'),
      /like.fields.0 the field "domain" is of type keyword; similar works on text, vector: title, .*meaning/,
    ],
    [
      replaceInSample('fields: [definition]', 'fields: [definition, meaning]'),
      /like.fields.1 the field "meaning" is of type vector; allowed: text fields, or one vector field alone/,
    ],
    [
      replaceInSample('field: domain,', 'field: title,'),
      /endpoints.domain.field the field "title" is of type text; facet works on keyword/,
    ],
    [
      replaceInSample('range, field: senses', 'range, field: domain'),
      /range works on number, date: senses, added/,
    ],
    [
      replaceInSample('range, field: senses', 'range, field: senses, from: to'),
      /two parameters have the name "to"/,
    ],
    [replaceInSample('field: meaning }', 'field: title }'), /nearest works on vector: meaning/],
    [replaceInSample('sort, field: title', 'sort, field: meaning'), /sort works on text, keyword/],
    [
      replaceInSample('range, field: senses', 'range, field: place'),
      /of type geo; range works on number, date/,
    ],
    [replaceInSample('facet, field: domain', 'facet, field: place'), /of type geo; facet works on keyword/],
    [replaceInSample('value: noun }', 'value: noun, parameter: x }'), /nouns.parameter found both/],
    [
      replaceInSample('partOfSpeech, value: noun', 'senses, value: noun'),
      /nouns.value found "noun", allowed: a decimal number/,
    ],
    [
      replaceInSample('search: 0.7,', 'serch: 0.7,'),
      /best.of.serch no endpoint "serch"; .*did you mean "search"/,
    ],
    [
      replaceInSample('search: 0.7,', 'everything: 0.7,'),
      /"everything" is of kind all; a mix combines match, similar, nearest/,
    ],
    [
      addEndpoint('{ kind: any, of: [nouns, search] }'),
      /added.of.1 "search" is of kind match; any combines filters and ranges/,
    ],
    [addEndpoint('{ kind: any, of: ["domian:FILTER"] }'), /no filter "domian:FILTER"; .*"domain:FILTER"/],
    [addEndpoint('{ kind: boost, field: senses }'), /endpoints.added found no rule, allowed: value with/],
    [addEndpoint('{ kind: boost, field: senses, value: 1 }'), /added found value, allowed:/],
    [addEndpoint('{ kind: boost, field: senses, by: log, halfLife: 1d }'), /found by, halfLife, allowed:/],
    [
      addEndpoint('{ kind: boost, field: domain, by: log }'),
      /"domain" is of type keyword; boost works on number/,
    ],
    [addEndpoint('{ kind: boost, field: senses, halfLife: 1d }'), /boost works on date: added/],
    [
      addEndpoint('{ kind: boost, field: added, halfLife: 0d }'),
      /halfLife found "0d", allowed: a number of min/,
    ],
    [addEndpoint('{ kind: boost, field: place, halfDistance: 0km }'), /found "0km", allowed: a distance/],
    [
      addEndpoint('{ kind: match, collection: entries, boosts: [serch] }'),
      /added.boosts.0 no boost "serch"; there are/,
    ],
    [
      addEndpoint('{ kind: match, collection: entries, boosts: [search] }'),
      /added.boosts.0 no boost "search"; there are/,
    ],
    [
      addEndpoint(
        '{ kind: mix, of: { search: 1 }, boosts: [near] }\n      near: { kind: boost, field: place, halfDistance: 5km }',
      ),
      /added.boosts.0 the boost "near" needs the parameters lat and lon/,
    ],
    [addEndpoint('{ kind: boost, field: senses, value: many, by: 2 }'), /added.value found "many"/],
    [
      replaceInSample('endpoint: search', 'endpoint: everything'),
      /curation.0.endpoint no match endpoint "everything"/,
    ],
    [
      replaceInSample('when: { query:', 'when: { q:'),
      /curation.0.when.q no parameter of "search" "q"; there are: query/,
    ],
    [
      replaceInSample('{ entries: latest }', '{ entris: latest }'),
      /configurations.staging.entris no collection "entris"/,
    ],
    [
      replaceInSample('      everything:', '      options:'),
      /endpoints.options "options" is a reserved word of the query path/,
    ],
    [replaceInSample('      everything:', '      a:FILTER:'), /found "a:FILTER", allowed: a name/],
    [
      replaceInSample('filter: { domain:', 'filter: { domian:'),
      /members.bob@example.org.filter.domian no field "domian"; .*did you mean "domain"/,
    ],
    [
      replaceInSample('filter: { domain: [noun.animal, noun.plant]', 'filter: { senses: [1, many]'),
      /filter.senses.1 found "many", allowed: a decimal number/,
    ],
    [
      replaceInSample('addresses: []', 'addresses: [10.0.0.0/33]'),
      /website.addresses.0 found "10.0.0.0\/33", allowed: an IP address/,
    ],
    [
      replaceInSample('http://localhost:5173/callback', 'http://example.org/callback'),
      /redirectUris.0 found .*allowed: https/,
    ],
    [
      replaceInSample('http://localhost:5173/callback', 'https://example.org/#x'),
      /allowed: an absolute URI without "#"/,
    ],
    [replaceInSample('http://localhost:5173/callback', 'https://*.example.org/'), /without wildcards/],
    [replaceInSample('http://localhost:5173/callback', 'javascript:alert(1)'), /redirectUris.0/],
    [
      replaceInSample('own: false', 'own: false, logoutUris: ["/"]').replace('logoutUris: [], ', ''),
      /logoutUris.0 found "\/", allowed: an absolute URI/,
    ],
    [
      replaceInSample('origins: [], ', 'origins: ["https://a.example/"], '),
      /finder.origins.0 found .*allowed: only the origin: https:\/\/a.example/,
    ],
    [
      replaceInSample('accessTokenLifetime: 15m', 'accessTokenLifetime: 25h'),
      /settings.accessTokenLifetime found "25h", allowed: from 1m to 24h/,
    ],
    [
      replaceInSample('accessTokenLifetime: 15m', 'accessTokenLifetime: 15'),
      /found 15, allowed: from 1m to 24h/,
    ],
    [replaceInSample('parameters: off', 'parameters: on'), /found "on", allowed: off, hashed, full/],
    [replaceInSample('parameters: off', 'parameters: false'), /found false, allowed: off, hashed, full$/],
    [replaceInSample('keep: 30d', 'keep: 0d'), /queryLog.keep found "0d", allowed: from 1d to 3650d/],
    [
      replaceInSample('bob@example.org: {', 'ADA@example.org: {'),
      /members.ADA@example.org duplicate member "ada@example.org"/,
    ],
    ['workspace: a\nmembers: { b@x.org: [admin] }', /found "admin", .*did you mean "administrator"\?/],
    [
      'workspace: a\nmembers: { b@x.org: user }',
      /found "user", allowed: a list of at least 1 \(administrator, user, api, data-provider\) or a mapping with roles, filter, groups, attributes, apis, collections, limits, until$/,
    ],
    ['workspace: 2024', /found 2024, allowed: 1 to 63 characters of .* in quotes$/],
    ['workspace: a\ntitle: 2024', /^2:8 title found 2024, allowed: text .* in quotes$/],
    ['workspace: a\ntitle: Books: all of them', /^2:8 .*put text that contains ": ".* in quotes$/],
    [
      replaceInSample('domain:       { type: keyword }', 'domain: keyword'),
      /found "keyword", allowed: a mapping with "type": text, keyword/,
    ],
    [
      'workspace: a\ncollections:\n  b:\n    language:english',
      /^4:5 .*language, .*; a space is missing after the colon$/,
    ],
    [
      replaceInSample('class: [https://schema.org/DefinedTerm]', 'class: https://schema.org/DefinedTerm'),
      /a list of 0 to 100 items or a mapping with field$/,
    ],
    ['workspace: a\ncollections:\n  b: *x', /^3:6 {2}the anchor &x is not defined before this alias$/],
    [
      'workspace: a\ntests: [9007199254740993]',
      /^2:9 {2}found 9007199254740993, which would become 9007199254740992;/,
    ],
    ['{"workspace":"a","tests":[-9223372036854775807]}', /^1:\d+ {2}found -9223372036854775807, which/],
    ['workspace: a\ncollections: !!set { b }', /^2:\d+ {2}the tag tag:yaml.org,2002:set is not allowed/],
    ['workspace: a\ncollections:\n\tb: {}', /^3:1 {2}Tabs are not allowed/],
    ['workspace: a\r\ncollections:\r\n  b: { langage: english }\r\n', /^3:8 .*did you mean "language"/],
    ['\uFEFFworkspace: a\ntitel: x', /^2:1 titel .*did you mean "title"/],
    ['{"workspace": "a", "titel": "x"}', /^1:20 titel /],
  ]
  for (const [source, expected] of cases) {
    const errors = readErrors(source)
    assert.ok(
      errors.some(error => expected.test(error)),
      `${expected}\n${errors.join('\n')}`,
    )
    assert.ok(errors.length <= 2, errors.join('\n'))
    const read = readWorkspaceFile(source)
    assert.ok(
      'errors' in read && read.errors.every(({ code }) => code !== undefined),
      `a code for ${expected}`,
    )
  }
})

test('a native application may use a custom scheme, others may not', () => {
  const uri = 'org.example.app:/callback'
  const source = (type: string) =>
    `workspace: a\napplications: { x: { type: ${type}, redirectUris: ["${uri}"] } }`
  parseFile(source('native'))
  assert.match(readErrors(source('browser')).join(), /only a native application/)
})

test('errors come in the order of the text, all of them', () => {
  const errors = readErrors('workspace: A\ntitle: 3\ncollections: { a b: {} }\nx: 1')
  assert.deepEqual(
    errors.map(error => error.split(' ')[0]),
    ['1:12', '2:8', '3:16', '4:1'],
  )
})

const schemaErrors = [
  ['type: text, weight: 3', 'type: txt'],
  ['domain:       { type: keyword }', 'domain: { type: keywrd }'],
  ['language: english', 'langauge: english'],
  ['kind: lookup', 'kind: look'],
  ['kind: facet, field: domain', 'kind: facet, fild: domain'],
  [
    'kind: match, collection: entries, fields: [title, definition',
    'kind: mach, collection: entries, fields: [title, definition',
  ],
  ['pin: [', 'pins: ['],
  ['access: members', 'access: nobody'],
  ['keep: 30d', 'keep: long'],
  ['workspace: dictionary', 'workspace: A B'],
] as const
const meaningErrors = [
  ['kind: all, collection: entries', 'kind: all, collection: entrys'],
  ['fields: [definition]', 'fields: [definitions]'],
  ['kind: facet, field: partOfSpeech', 'kind: facet, field: part'],
  ['range, field: senses', 'range, field: domain'],
  ['search: 0.7', 'find: 0.7'],
  ['{ entries: latest }', '{ entry: latest }'],
  ['filter: { domain:', 'filter: { domian:'],
  ['accessTokenLifetime: 15m', 'accessTokenLifetime: 25h'],
] as const

test('errors of meaning stand beside errors of the schema, and stay when those are corrected', () => {
  let pairs = 0
  for (const [faulty, replacement] of schemaErrors)
    for (const [meant, changed] of meaningErrors) {
      assert.ok(sample.includes(meant), meant)
      const wrongBoth = replaceInSample(faulty, replacement).replace(meant, changed)
      // The lists of names leave out what is wrong.
      const paths = (source: string) => readErrors(source).map(error => error.split(' ')[1] ?? '')
      const wrongSchema = paths(replaceInSample(faulty, replacement))
      const wrongMeaning = paths(replaceInSample(meant, changed))
      const errors = paths(wrongBoth)
      for (const path of wrongSchema) assert.ok(errors.includes(path), `${replacement}: ${path}`)
      const meanings = errors.filter(path => !wrongSchema.includes(path))
      assert.ok(
        meanings.every(path => wrongMeaning.includes(path)),
        `${replacement}, ${changed}: ${meanings.join('; ')}`,
      )
      if (meanings.length > 0) pairs += 1
    }
  assert.ok(pairs > (schemaErrors.length * meaningErrors.length) / 2, `${pairs} pairs`)
})

test('hostile files are rejected in bounded time', () => {
  const started = performance.now()
  const bomb = `workspace: a\na0: &a0 [x]\n${Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(10)}]`).join('\n')}`
  assert.match(readErrors(bomb).join(), /alias/i)
  assert.match(readErrors('['.repeat(100_000)).join(), /deep|1:/)
  assert.match(readErrors(`a: ${'{b: '.repeat(200)}${'}'.repeat(200)}`).join(), /nested more than 50 deep/)
  assert.match(readErrors(' '.repeat(1024 * 1024 + 1)).join(), /larger than/)
  const writeKeys = (length: number) => Array.from({ length }, (_, i) => `k${i}: 1`).join('\n')
  assert.equal(readErrors(writeKeys(10_000)).length, 100)
  assert.match(readErrors(writeKeys(60_000)).join(), /^10001:1 .*more than 10000 entries$/)
  // A machine may be slow: the last file takes seconds.
  assert.ok(performance.now() - started < 60_000)
})

test('an alias inside the value that it refers to is an error at its place', () => {
  for (const cyclic of ['branding: &b { name: x, logo: *b }', 'tests: &b [{ endpoint: *b }]']) {
    const errors = readErrors(`workspace: a\n${cyclic}`)
    assert.equal(errors.length, 1)
    assert.ok(errors[0]?.startsWith(`2:${cyclic.indexOf('*b') + 1} `), errors[0])
  }
  // The alias refers to the nearest anchor of this name before it.
  const renamed = 'workspace: a\nbranding: &b { name: &b Reading room, color: "#0b5" }\ntitle: *b'
  assert.ok('file' in readWorkspaceFile(renamed))
})

test('any text is either a file or errors with places, never an exception', () => {
  const pieces = fc.constantFrom(
    'workspace: a\n',
    'collections:\n',
    '  a:',
    ' {',
    '}',
    '[',
    ']',
    '- ',
    '&x ',
    '*x',
    ': ',
    '\n',
    '"',
    '? ',
    '!!set ',
    '<<: ',
    '%YAML 1.1\n---\n',
    'null',
  )
  const text = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 25 }).map(parts => parts.join('')),
  )
  fc.assert(
    fc.property(text, source => {
      const read = readWorkspaceFile(source)
      if ('errors' in read)
        for (const { line, column } of read.errors) assert.ok(line && line >= 1 && column && column >= 1)
    }),
    { numRuns: 300 },
  )
})

test('the value of a filter or boost is bounded', () => {
  const read = (length: number) =>
    readWorkspaceFile(
      `workspace: a\ncollections: { docs: { fields: { k: { type: keyword } } } }\napis: { a: { endpoints: { only: { kind: filter, collection: docs, field: k, value: "${'x'.repeat(length)}" } } } }`,
    )
  assert.ok('file' in read(workspaceLimits.valueCharacters))
  const longRead = read(workspaceLimits.valueCharacters + 1)
  assert.deepEqual('errors' in longRead && longRead.errors.map(({ code, path }) => ({ code, path })), [
    { code: 'length', path: 'apis.a.endpoints.only.value' },
  ])
})
