/** No acknowledged vector is lost when the server is killed at random moments: each document stays nearest to its own vector. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { below, randomFrom } from '#bench/random'
import { chooseRuns } from '#server/test-runs'
import { fetchToken, type ServerProcess, startServerProcess } from '#tests/support/started-server'

const dimensions = 64
const linesPerImport = 40
const kills = chooseRuns(2, 4)
const importsAtOnce = 3

const workspaceText = `
workspace: shapes
collections:
  shapes:
    fields:
      name: { type: keyword }
      meaning: { type: vector, dimensions: ${dimensions} }
apis:
  shapes:
    access: public
    endpoints:
      nearest: { kind: nearest, collection: shapes, field: meaning }
`

let server: ServerProcess
let loader: { clientId: string; clientSecret: string }
before(async () => {
  server = await startServerProcess()
  const folder = await mkdtemp(join(tmpdir(), 'querent-shapes-'))
  await writeFile(join(folder, 'shapes.yaml'), workspaceText)
  await server.run(['apply', join(folder, 'shapes.yaml')])
  await rm(folder, { recursive: true })
  loader = (await server.run([
    's2s',
    'create',
    'shapes',
    'loader',
    '--role',
    'data-provider',
  ])) as typeof loader
})
after(() => server?.stop())

/** Returns the vector of a document: each number has its own. */
const makeVector = (number: number): number[] => {
  const random = randomFrom(number + 1)
  return Array.from({ length: dimensions }, () => Number((random() - 0.5).toFixed(4)))
}

/** Imports documents with the numbers from `first` on, and resolves when they are acknowledged. Rejects if the server ends before. */
const importShapes = async (token: string, first: number): Promise<number[]> => {
  const numbers = Array.from({ length: linesPerImport }, (_, index) => first + index)
  const reply = await fetch(`${server.baseUrl}/4/shapes/collections/shapes/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    body: numbers
      .map(
        number =>
          `${JSON.stringify({ id: `n${number}`, name: `n${number}`, meaning: makeVector(number) })}\n`,
      )
      .join(''),
  })
  const { accepted } = (await reply.json()) as { accepted: number }
  assert.equal(accepted, linesPerImport)
  return numbers
}

/** Returns the name of the document nearest to the vector of each number. */
const findNearest = async (numbers: readonly number[]): Promise<string[]> => {
  const names: string[] = []
  for (let start = 0; start < numbers.length; start += 20) {
    const requests = numbers
      .slice(start, start + 20)
      .map(number => `e/nearest/p/vector/${makeVector(number).join(',')}/resultpage?count=1`)
    const reply = await fetch(`${server.baseUrl}/4/shapes/api/shapes/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ requests }),
    })
    const { responses } = (await reply.json()) as {
      responses: { body: { items: { tuple: [{ name: string }] }[] } }[]
    }
    names.push(...responses.map(({ body }) => body.items[0]?.tuple[0].name ?? 'nothing'))
  }
  return names
}

test('after kill -9 during imports, every acknowledged document is nearest to its own vector', async t => {
  const seed = Date.now()
  t.diagnostic(`seed ${seed}`)
  const random = randomFrom(seed)
  const acknowledged: number[] = []
  let next = 0
  for (let round = 0; round < kills; round++) {
    const token = await fetchToken(server, loader)
    const target = acknowledged.length + 1 + below(random, 10 * linesPerImport)
    let isKilled = false
    const importUntilKilled = async () => {
      while (!isKilled) {
        const first = next
        next += linesPerImport
        try {
          acknowledged.push(...(await importShapes(token, first)))
        } catch (error) {
          if (!isKilled) throw error
        }
        if (acknowledged.length >= target && !isKilled) {
          isKilled = true
          await server.kill()
        }
      }
    }
    await Promise.all(Array.from({ length: importsAtOnce }, importUntilKilled))
    await server.restart()
    assert.deepEqual(
      await findNearest(acknowledged),
      acknowledged.map(number => `n${number}`),
    )
  }
})
