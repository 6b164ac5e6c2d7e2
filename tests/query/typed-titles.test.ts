/**
 * Types 3,000 real titles in five languages letter by letter: films, and the names of emoji. While somebody types, a title that was found stays
 * found, and the whole title is on the first page. word-cases/ does the same with fewer titles in each test run.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { npmFolder } from '#tests/support/npm-folder'
import { type StartedServer, startServer } from '#tests/support/started-server'

const workspace = 'typed-titles'
const titlesTyped = 600
/** Whole words come before completions: `Stardust` makes place for films with the word `Star` at its fourth letter. */
const awayShareMax = 0.11
const languages = {
  english: ['vega-datasets/data/movies.json', 'Title'],
  german: ['emojibase-data/de/data.json', 'label'],
  french: ['emojibase-data/fr/data.json', 'label'],
  spanish: ['emojibase-data/es/data.json', 'label'],
  dutch: ['emojibase-data/nl/data.json', 'label'],
} as const
const endpoints = ['strict', 'box'] as const

const definition = {
  workspace,
  collections: Object.fromEntries(
    Object.keys(languages).map(language => [
      language,
      { language, fields: { title: { type: 'text', suggest: true } } },
    ]),
  ),
  apis: Object.fromEntries(
    Object.keys(languages).map(language => [
      language,
      {
        access: 'public',
        endpoints: {
          strict: { kind: 'match', collection: language, prefix: true, matching: 'all' },
          box: { kind: 'match', collection: language, prefix: true, typos: true, matching: 'relaxed' },
          one: { kind: 'lookup', collection: language },
        },
      },
    ]),
  ),
}

let server: StartedServer
let packages: string
before(async () => {
  packages = await npmFolder('typed-titles', ['emojibase-data@17.0.0', 'vega-datasets@3.2.1'])
  server = await startServer()
  await server.applyWorkspace(JSON.stringify(definition))
})
after(() => server?.stop())

interface BatchReply {
  responses: { status: number; body: { items?: { tuple: [{ id: string }] }[]; total?: number } }[]
}
const batchMax = 20
const ask = async (language: string, requests: readonly string[]): Promise<BatchReply['responses']> => {
  const replies: BatchReply['responses'] = []
  for (let start = 0; start < requests.length; start += batchMax) {
    const response = await fetch(`${server.baseUrl}/4/${workspace}/api/${language}/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ requests: requests.slice(start, start + batchMax) }),
    })
    replies.push(...((await response.json()) as BatchReply).responses)
  }
  for (const { status, body } of replies) assert.equal(status, 200, JSON.stringify(body))
  return replies
}

/** Returns each beginning of a title that is not blank. */
const typeLetters = (title: string): string[] => {
  const letters = [...title]
  return letters.map((_, end) => letters.slice(0, end + 1).join('')).filter(typed => typed.trim() !== '')
}

for (const [language, [path, attribute]] of Object.entries(languages))
  test(`a title that was found stays found while it is typed: ${language}`, async context => {
    const rows = JSON.parse(await readFile(join(packages, 'node_modules', path), 'utf8')) as Record<
      string,
      unknown
    >[]
    const titles = [...new Set(rows.map(row => String(row[attribute] ?? '')))].filter(Boolean)
    const documents = titles.map((title, index) => ({ id: `t${index}`, title }))
    await server.importDocuments(workspace, language, documents)
    const step = Math.max(1, Math.floor(titles.length / titlesTyped))
    const typed = documents.filter((_, index) => index % step === 0).slice(0, titlesTyped)
    const faults: string[] = []
    let away = 0
    for (const endpoint of endpoints)
      for (const { id, title } of typed) {
        const letters = typeLetters(title)
        const path = (text: string) => `e/${endpoint}/p/query/${encodeURIComponent(text)}`
        const pages = await ask(
          language,
          letters.map(text => `${path(text)}/results`),
        )
        const isFirst = pages.map(({ body }) =>
          body.items?.some(({ tuple: [hit] }) => hit.id.endsWith(`:${id}`)),
        )
        if (!isFirst.at(-1)) faults.push(`${endpoint} ${title} is not on the first page`)
        const absent = letters.filter((_, index) => isFirst.indexOf(true) < index && !isFirst[index])
        if (absent.length > 0) away += 1
        const counts = await ask(
          language,
          absent.map(text => `${path(text)}/e/one/p/id/${id}/count`),
        )
        for (const [index, { body }] of counts.entries())
          if (body.total === 0) faults.push(`${endpoint} ${absent[index]} loses ${title}`)
      }
    context.diagnostic(
      `${typed.length} of ${titles.length} titles; ${((100 * away) / (2 * typed.length)).toFixed(1)} % left the first page for a while`,
    )
    assert.deepEqual(faults, [])
    assert.ok(away <= awayShareMax * 2 * typed.length, `${away} of ${2 * typed.length}`)
  })
