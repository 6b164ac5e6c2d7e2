/** docs/search-by-meaning.md, followed with a model server that speaks the same protocol as its example. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { startTestEmbedder } from '#server/embedding/test-embedder'
import { waitUntil } from '#server/test-wait'
import { startServer } from '#tests/support/started-server'

const page = await readFile(join(import.meta.dirname, '../../docs/search-by-meaning.md'), 'utf8')
const find = (pattern: RegExp): string => {
  const text = pattern.exec(page)?.[1]
  assert.ok(text, String(pattern))
  return text
}
const embedder = await startTestEmbedder(384)
after(() => embedder.close())
const atHome = (text: string) => text.replaceAll('127.0.0.1:11434', embedder.host)

test('the page leads from nothing to hybrid search', async () => {
  process.env.QUERENT_EMBEDDERS = atHome(find(/QUERENT_EMBEDDERS='(.*)'/))
  process.env.QUERENT_INTERNAL_HOSTS = atHome(find(/QUERENT_INTERNAL_HOSTS=(\S+)/))
  const inFile = parse(find(/```yaml\n(internalHosts[\s\S]*?)```/))
  assert.deepEqual(inFile.embedders, JSON.parse(find(/QUERENT_EMBEDDERS='(.*)'/)))
  const server = await startServer()
  after(() => server.stop())
  const workspaceFile = find(/```yaml\n(workspace: library[\s\S]*?)```/)
  await server.applyWorkspace(workspaceFile)
  const documents = [...page.matchAll(/echo '(\{.*\})' >/g)].map(match => match[1])
  assert.equal(documents.length, 2)
  await server.importDocuments('library', 'items', documents.join('\n'))
  const get = async (url: string) => {
    const reply = await fetch(url.replace('http://127.0.0.1:4000', server.baseUrl))
    // Replies of the page's own requests.
    return (await reply.json()) as {
      missingVectors: unknown
      items: { tuple: [{ attributes: { title: string } }] }[]
    }
  }
  const statusUrl = find(/curl -s (http:\S+status)/)
  const expectedStatus = JSON.parse(find(/^ +(\{"status".*\})$/m))
  await waitUntil(
    async () => isDeepStrictEqual(await get(statusUrl), expectedStatus),
    async () => JSON.stringify(await get(statusUrl)),
  )
  const { items } = await get(find(/curl -s '(http:.*results)'/))
  assert.equal(items[0]?.tuple[0].attributes.title, 'An automobile')
})
