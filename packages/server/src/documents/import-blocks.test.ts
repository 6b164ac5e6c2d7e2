import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Definition } from '@querent/contract/workspace-file'
import fc from 'fast-check'
import type { Engine, EngineDocument } from '#engines/engine'
import { openEngine } from '#engines/open'
import { type DocumentReader, documentReader } from './entity.ts'
import { importBlocks, importLines } from './import.ts'
import { lineBytesMax, readLines } from './lines.ts'

const definition: Definition = {
  workspace: 'w',
  collections: {
    c: {
      fields: {
        t: { type: 'text' },
        k: { type: 'keyword' },
        n: { type: 'number' },
        b: { type: 'boolean' },
        d: { type: 'date' },
        o: { type: 'object' },
        g: { type: 'geo' },
      },
    },
  },
}
const readers = [
  documentReader(definition, 'c'),
  ...(['keyword', 'number'] as const).map(type =>
    documentReader({ workspace: 'w', collections: { c: { fields: { id: { type } } } } }, 'c'),
  ),
]
const [reader] = readers
let folder = ''
let engine: Engine
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-blocks-'))
  engine = await openEngine({ kind: 'embedded', dataDir: folder })
  await engine.open('g', { fields: [] })
})
after(async () => {
  await engine.close()
  await rm(folder, { recursive: true })
})

async function* inPieces(bytes: Buffer, size: number) {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size)
}
const allEntities = async () => (await engine.list('g', undefined, 1000)).map(({ entity }) => entity)

/** The engine's own line parser and JavaScript give the same collection and the same messages. */
const bothWays = async (bytes: Buffer, size: number, reader: DocumentReader | undefined) => {
  const empty = async () => {
    const stored = await engine.list('g', undefined, 1000)
    await engine.write(
      'g',
      stored.map(({ id }) => ({ delete: id })),
    )
  }
  const rules = reader?.rules
  assert.ok(reader && rules)
  await empty()
  const fast = await importBlocks({
    body: inPieces(bytes, size),
    reader,
    readLines: async block => {
      const read = await engine.readLines?.(block, rules)
      assert.ok(read)
      return read
    },
    write: (read, fallbackDocuments) => read.write('g', fallbackDocuments),
  })
  const stored = await allEntities()
  await empty()
  const write = async (documents: EngineDocument[]) => {
    await engine.write(
      'g',
      documents.map(document => ({ put: document })),
    )
    return new Set<number>()
  }
  const slow = await importLines({
    lines: readLines(inPieces(bytes, size)),
    reader,
    write,
    skippedMessage: '',
  })
  return { fast: { ...fast, stored }, slow: { ...slow, stored: await allEntities() } }
}

const scalar = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }).map(text => JSON.stringify(text)),
  fc.double().map(number => String(number)),
  fc.integer().map(String),
  fc.constantFrom(
    '1.0',
    '1e3',
    '-0',
    '0.1',
    '"\\u00e9"',
    '"\\ud800"',
    '"a\\/b"',
    '"\\\\ud800"',
    'tru',
    '"\t"',
  ),
  fc.constantFrom(
    'null',
    'true',
    '"2024-02-29"',
    '"2024-01-31T12:00:00Z"',
    '"2024-01-31T12:00:00.125Z"',
    '"2024-01-31T24:00:00.000Z"',
    '"2024-13-01"',
    '{"lat":1,"lon":2}',
  ),
)
const { value } = fc.letrec<{ value: string }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 5, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }).map(items => `[${items.join(' , ')}]`) },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom('x', '1', '__proto__', 'é', ''), tie('value')), { maxLength: 3 })
        .map(items => `{${items.map(([name, inner]) => `"${name}": ${inner}`).join(',')}}`),
    },
  ),
}))
const id = fc.constantFrom(
  '"a"',
  '"b c"',
  '7',
  '-1.5',
  '9007199254740991',
  '9007199254740992',
  '100000000000000000000',
  '"urn:x"',
  '"x%20"',
  '"é"',
  '""',
  'null',
  '"https://x.example/a%20b"',
)
const line = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .tuple(id, fc.array(fc.tuple(fc.constantFrom('t', 'k', 'n', 'b', 'd', 'o', 'g', 'x', 'id'), value)))
      .map(([id, rest]) => `{"id": ${id}${rest.map(([name, inner]) => `,"${name}":${inner}`).join('')} }`),
  },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '[]', '{', '\ufeff{"id":1}', '{"id":1}}', '\u00a0') },
)

test('the engine reads a line as JavaScript does, and reports the same errors', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 12 }),
      fc.integer({ min: 1, max: 200 }),
      fc.constantFrom(...readers),
      async (lines, size, reader) => {
        const { fast, slow } = await bothWays(Buffer.from(lines.join('\n')), size, reader)
        assert.deepEqual(fast, slow)
      },
    ),
    { numRuns: 300 },
  ))

test('repeated ids are told in the order of their lines, whoever reads these', async () => {
  // The engine leaves lines with a repeated key to JavaScript.
  const lines = ['{"id": "a"}', '{"id": "x","id": "b"}', '{"id": "x","id": "b"}', '{"id": "a"}']
  const { fast, slow } = await bothWays(Buffer.from(lines.join('\n')), 1000, reader)
  assert.deepEqual(fast.replacedIds, ['urn:querent:w:c:b', 'urn:querent:w:c:a'])
  assert.deepEqual(fast, slow)
})

test('lines too long or no UTF-8 are told by their number wherever they stand', async () => {
  const long = Buffer.alloc(lineBytesMax + 1, 'x')
  const bytes = Buffer.concat([
    Buffer.from('{"id":1}\n'),
    long,
    Buffer.from('\n{"id":2}\n\n'),
    Buffer.from([0xff, 0x0a]),
    Buffer.from('{"id":3}\n'),
    long,
  ])
  for (const size of [1000, 64 * 1024, bytes.length]) {
    const { fast, slow } = await bothWays(bytes, size, reader)
    assert.deepEqual(fast, slow)
    assert.deepEqual([fast.accepted, fast.errors.map(error => error.line)], [3, [2, 5, 7]])
  }
})
