import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isCollection, isMap, isPair, isScalar, parse, parseDocument } from 'yaml'
import {
  applyEdits,
  curationEdit,
  editWorkspaceText,
  endpointEdit,
  endpointKeyEdit,
  fieldEdit,
  isSameAt,
  readAt,
  synonymsEdit,
  undoEdits,
  type WorkspaceEdit,
  weightEdit,
} from './edit-workspace-text.ts'
import { readWorkspaceFile } from './read-workspace-file.ts'
import type { WorkspaceFile } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

const source = `# Books
workspace: shop   # never changes

collections:
  books:
    id: { field: isbn }
    fields:
      # The heading of a book
      title:   { type: text,    weight: 3 }   # three times
      blurb:   { type: text }

      # Facets
      genre:   { type: keyword, title: "Kind" }
    synonyms: [[car, automobile],
               # screens
               [tv, television]]

apis:
  shop:
    endpoints:
      search:   { kind: match, collection: books, fields: [title, blurb] }
      genre:
        kind: facet
        field: genre     # no title
    curation:
      # Spring
      - { when: { query: spring }, endpoint: search, pin: [b1, b2] }
      # Autumn

      - when: { query: autumn }  # all year
        endpoint: search
        bury: [b3]
      # Winter
      - { when: { query: winter }, endpoint: search, pin: [b4] }
# The end
`

const change = (from: string, to: string): string => {
  assert.ok(source.includes(from), from)
  return source.replace(from, () => to)
}

test('an edit changes the characters of its value and no other', () => {
  const edit = (...edits: WorkspaceEdit[]) => editWorkspaceText(source, edits)
  assert.equal(edit(weightEdit('books', 'title', 4.5)), change('weight: 3 }   #', 'weight: 4.5 }   #'))
  assert.equal(edit(weightEdit('books', 'title', undefined)), change('text,    weight: 3', 'text'))
  assert.equal(edit(weightEdit('books', 'blurb', 2)), change('{ type: text }', '{ type: text, weight: 2 }'))
  assert.equal(
    edit(fieldEdit('books', 'genre', { type: 'keyword', title: 'Genre' })),
    change('"Kind"', '"Genre"'),
  )
  assert.equal(
    edit(fieldEdit('books', 'price', { type: 'number' })),
    change('title: "Kind" }\n', 'title: "Kind" }\n      price: { type: number }\n'),
  )
  assert.equal(
    edit(fieldEdit('books', 'genre', undefined)),
    change('      # Facets\n      genre:   { type: keyword, title: "Kind" }\n', ''),
  )
  assert.equal(
    edit(endpointKeyEdit('shop', 'genre', 'title', 'Genre: all')),
    change('# no title\n', '# no title\n        title: "Genre: all"\n'),
  )
  assert.equal(
    edit(endpointEdit('shop', 'all', { kind: 'all', collection: 'books' })),
    change('# no title\n', '# no title\n      all:\n        kind: all\n        collection: books\n'),
  )
  assert.equal(
    edit(endpointKeyEdit('shop', 'search', 'fields', ['title'])),
    change('[title, blurb]', '[title]'),
  )
})

test('list items keep their comments when others are added, moved and deleted', () => {
  const edit = (...edits: WorkspaceEdit[]) => editWorkspaceText(source, edits)
  assert.equal(
    edit(
      synonymsEdit('books', [
        ['car', 'automobile'],
        ['tv', 'television'],
        { from: ['js'], to: ['javascript'] },
      ]),
    ),
    change('[tv, television]]', '[tv, television],\n               { from: [js], to: [javascript] }]'),
  )
  const rules = parse(source).apis.shop.curation
  const [spring, autumn, winter] = rules
  assert.equal(
    edit(curationEdit('shop', [spring, autumn])),
    change(/ {6}# Winter\n.*\n/.exec(source)?.[0] ?? '?', ''),
  )
  const moved = edit(curationEdit('shop', [winter, autumn, spring]))
  const springLines = '      # Spring\n      - { when: { query: spring }, endpoint: search, pin: [b1, b2] }\n'
  const winterLines = '      # Winter\n      - { when: { query: winter }, endpoint: search, pin: [b4] }\n'
  assert.equal(moved, change(springLines, '%').replace(winterLines, springLines).replace('%', winterLines))
  assert.equal(
    edit(curationEdit('shop', [spring, { ...autumn, bury: ['b3', 'b9'] }, winter])),
    change('bury: [b3]', 'bury: [b3, b9]'),
  )
  assert.equal(edit(curationEdit('shop', [])).includes('curation'), false)
  const added = edit({ path: ['apis', 'new', 'curation'], value: rules.slice(0, 1) })
  assert.ok(added.includes('\n  new:\n    curation:\n      - { when: { query: spring }, '), added)
})

test('a concurrent change counts as a conflict only at the path of an edit', () => {
  const otherText = source.replace('weight: 3', 'weight: 2').replace('# Books', '# Books and more')
  assert.ok(isSameAt(source, otherText, [fieldEdit('books', 'genre', undefined)]))
  assert.ok(!isSameAt(source, otherText, [weightEdit('books', 'title', 9)]))
  assert.ok(!isSameAt(source, otherText, [fieldEdit('books', 'title', undefined)]))
})

test('JSON and files with Windows line ends keep their form', () => {
  const json = '{"workspace":"a",\n  "collections": {"b": {"fields": {"c": {"type":"text"}}}}}'
  assert.equal(
    editWorkspaceText(json, [weightEdit('b', 'c', 2)]),
    json.replace('"text"', '"text", "weight": 2'),
  )
  const crlf = source.replaceAll('\n', '\r\n')
  const edits = [fieldEdit('books', 'price', { type: 'number' })]
  assert.equal(editWorkspaceText(crlf, edits), editWorkspaceText(source, edits).replaceAll('\n', '\r\n'))
})

const name = fc.constantFrom('one', 'two', 'three', 'a.b', 'no')
const text = fc.constantFrom(
  'plain',
  'a: b',
  '# none',
  "it's",
  'Größe',
  '"q"',
  '- x',
  'true',
  '12',
  ' s ',
  'x\ny',
)
const record = <T>(value: fc.Arbitrary<T>) =>
  fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true })
const optional = { requiredKeys: [], noNullPrototype: true }
const field = fc.record(
  { type: fc.constant('text'), title: text, weight: fc.integer() },
  { requiredKeys: ['type'], noNullPrototype: true },
)
const synonyms = fc.array(fc.array(text, { minLength: 2, maxLength: 3 }), { maxLength: 4 })
const endpoint = fc.record(
  { kind: fc.constant('match'), fields: fc.array(text, { maxLength: 3 }), typos: fc.boolean(), title: text },
  { requiredKeys: ['kind'], noNullPrototype: true },
)
const rules = fc.array(
  fc.record(
    { when: record(text), endpoint: text, pin: fc.array(text, { maxLength: 3 }) },
    { requiredKeys: ['when'], noNullPrototype: true },
  ),
  { maxLength: 4 },
)
// The edits concern shapes, not meaning: no reader checks these files.
const files = fc.record(
  {
    workspace: fc.constant('shop'),
    collections: record(
      fc.record({ fields: record(field), synonyms, id: fc.constant({ field: 'x' }) }, optional),
    ),
    apis: record(fc.record({ endpoints: record(endpoint), curation: rules }, optional)),
    title: text,
  },
  { requiredKeys: ['workspace'], noNullPrototype: true },
) as fc.Arbitrary<WorkspaceFile>

const optionally = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 })
const edits = fc.oneof(
  fc.tuple(name, name, optionally(field)).map(([a, b, value]) => fieldEdit(a, b, value as never)),
  fc.tuple(name, name, optionally(endpoint)).map(([a, b, value]) => endpointEdit(a, b, value as never)),
  fc.tuple(name, synonyms).map(([a, value]) => synonymsEdit(a, value)),
  fc.tuple(name, rules).map(([a, value]) => curationEdit(a, value as never)),
)

/** Writes data with a random layout: block and flow, quotes, spaces, comments, blank lines. */
const writeText = (value: object, random: () => number): string => {
  let comments = 0
  const chance = (share: number) => random() < share
  const comment = () => `# c${comments++}`
  const spaces = (least: number) => ' '.repeat(least + Math.floor(random() * 3))
  const scalar = (item: unknown) => {
    if (typeof item !== 'string' || !/^[a-z]{4,}$/.test(item) || item === 'true' || chance(0.3))
      return JSON.stringify(item)
    return chance(0.3) ? `'${item}'` : item
  }
  const flow = (item: unknown, margin: string): string => {
    if (typeof item !== 'object' || item === null) return scalar(item)
    const parts = Array.isArray(item)
      ? item.map(part => flow(part, margin))
      : Object.entries(item).map(([key, part]) => `${JSON.stringify(key)}:${spaces(1)}${flow(part, margin)}`)
    const [open, close] = Array.isArray(item) ? '[]' : '{}'
    const isTall = parts.length > 0 && chance(0.2)
    const joined = parts
      .map(part =>
        isTall ? `\n${margin}   ${chance(0.3) ? `${comment()}\n${margin}   ` : ''}${part}` : part,
      )
      .join(`${spaces(0)},${isTall && chance(0.3) ? ` ${comment()}` : spaces(1)}`)
    return `${open}${spaces(0)}${joined}${isTall && chance(0.3) ? ',' : ''}${isTall ? `\n${margin}` : spaces(0)}${close}`
  }
  const lines: string[] = []
  const write = (item: object, margin: string) => {
    const isList = Array.isArray(item)
    for (const [key, part] of Object.entries(item)) {
      if (chance(0.2)) lines.push('')
      if (chance(0.3)) lines.push(`${margin}${comment()}`)
      if (chance(0.1)) lines.push('')
      const start = `${margin}${isList ? '-' : `${/^\w{3,}$/.test(key) && chance(0.7) ? key : JSON.stringify(key)}:`}`
      const end = chance(0.3) ? `${spaces(1)}${comment()}` : ''
      const isOpen = typeof part === 'object' && part !== null && Object.keys(part).length > 0
      if (isOpen && chance(0.6)) {
        lines.push(`${start}${end}`)
        write(part, `${margin}${spaces(1)}`)
      } else lines.push(...`${start}${spaces(1)}${flow(part, `${margin} `)}${end}`.split('\n'))
    }
    if (chance(0.2)) lines.push(`${margin}${comment()}`)
  }
  write(value, '')
  return `${lines.join('\n')}${chance(0.9) ? '\n' : ''}`
}

/** Returns the lines that an edit may change: of its value and the comments above it, or of the list or map that gets it. */
const touchedLines = (text: string, path: Path): [first: number, last: number] => {
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length - 1
  let node: unknown = parseDocument(text, { keepSourceTokens: true, uniqueKeys: false }).contents
  let [first, last] = [0, -1]
  for (const key of path) {
    if (!isMap(node)) break
    const index = node.items.findIndex(item => isScalar(item.key) && String(item.key.value) === key)
    const pair = node.items[index]
    if (!isPair(pair) || !isScalar(pair.key)) {
      // Added behind the last entry: between brackets this changes the line, or the whole value if it was empty.
      if (!node.flow) [first, last] = [0, -1]
      break
    }
    const start = lineAt(pair.key.range?.[0] ?? 0)
    const inner: unknown = pair.value
    const end = isCollection(inner) || isScalar(inner) ? (inner.range?.[1] ?? 0) : 0
    first = start
    const lines = text.split('\n')
    while (first > 0 && lines[first - 1]?.trim().startsWith('#')) first--
    last = Math.max(start, lineAt(end))
    node = inner
  }
  return [first, last]
}

/** Returns the outermost map that loses its last entry, and so gets `{}` behind its key, or else the path of the edit. */
const touchedPath = (edited: WorkspaceFile, path: Path): Path => {
  const length = path.findIndex((_, index) => isEmpty(readAt(edited, path.slice(0, index + 1))))
  return length === -1 ? path : path.slice(0, length + 1)
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** Returns the first line that is missing. */
const findMissing = (lines: readonly string[], of: readonly string[]): string | undefined => {
  let position = 0
  for (const line of lines) {
    const index = of.indexOf(line, position)
    if (index === -1) return line
    position = index + 1
  }
  return undefined
}

test('for any file and edit, the new text means the edited file, other lines stay, and undo restores the meaning', () => {
  fc.assert(
    fc.property(
      files,
      edits,
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      (file, edit, numbers) => {
        const original = writeText(file, () => numbers.next().value ?? 0)
        assert.deepEqual(parse(original), file)
        const edited = editWorkspaceText(original, [edit])
        assert.deepEqual(parse(edited), applyEdits(file, [edit]))
        const lines = original.split('\n')
        const [first, last] = touchedLines(original, touchedPath(applyEdits(file, [edit]), edit.path))
        const untouched = lines.filter((_, index) => index < first || index > last)
        assert.equal(findMissing(untouched, edited.split('\n')), undefined, `${original}\n=====\n${edited}`)
        const restored = editWorkspaceText(edited, undoEdits(file, [edit]))
        assert.deepEqual(parse(restored), parse(original))
        // Deleted keys come back at their place.
        if (edit.value === undefined) assert.equal(JSON.stringify(parse(restored)), JSON.stringify(file))
        if (readAt(file, edit.path) === edit.value) assert.equal(edited, original)
      },
    ),
    { numRuns: 200 },
  )
})

test('what was deleted comes back at its place: collections, fields, APIs, endpoints and keys', () => {
  const file = parse(source)
  for (const path of [
    ['collections', 'books'],
    ['collections', 'books', 'fields', 'title'],
    ['collections', 'books', 'fields', 'blurb'],
    ['collections', 'books', 'fields', 'title', 'type'],
    ['apis', 'shop'],
    ...Object.keys(file.apis.shop.endpoints).map(name => ['apis', 'shop', 'endpoints', name]),
  ]) {
    const deletion = [{ path, value: undefined }]
    const restored = editWorkspaceText(editWorkspaceText(source, deletion), undoEdits(file, deletion))
    assert.equal(JSON.stringify(parse(restored)), JSON.stringify(file), path.join('.'))
  }
})

test('several edits undo together', () => {
  const file = parse(source)
  const several = [
    fieldEdit('books', 'title', undefined),
    { path: ['apis', 'shop', 'curation', 1], value: undefined },
    { path: ['apis', 'shop', 'curation', 0, 'pin', 2], value: 'b7' },
    endpointEdit('more', 'all', { kind: 'all', collection: 'books' }),
    weightEdit('books', 'blurb', 3),
  ]
  const edited = editWorkspaceText(source, several)
  assert.deepEqual(parse(edited).apis.shop.curation[0].pin, ['b1', 'b2', 'b7'])
  assert.equal(parse(edited).apis.shop.curation.length, 2)
  assert.deepEqual(parse(editWorkspaceText(edited, undoEdits(file, several))), file)
})

test('a relevance test that an added API makes ambiguous names the API that it had', () => {
  const tested = `${source}tests:
  - { endpoint: search, query: spring, expect: [b1] } # the first
  - { endpoint: search, api: shop, query: winter, expect: [b4] }
`
  const proposed = { title: 'Films', endpoints: { search: { kind: 'match', collection: 'books' } } }
  const edited = editWorkspaceText(tested, [{ path: ['apis', 'films'], value: proposed }])
  const read = readWorkspaceFile(edited)
  assert.deepEqual('errors' in read ? read.errors : [], [])
  assert.ok(!('errors' in read))
  assert.deepEqual(
    read.file.tests?.map(({ api }) => api),
    ['shop', 'shop'],
  )
  assert.match(edited, /query: spring.*api: shop.* # the first/)
})
