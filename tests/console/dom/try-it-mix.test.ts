/** The console with hybrid search, in the fake DOM: "Try it" says which part found a result, and forms propose the right parameters. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inspectViews } from '#tests/support/console-dom/inspect'
import type { Page } from '#tests/support/console-dom/page'
import { visitSignedIn } from '#tests/support/console-dom/visit'
import { type StartedServer, startServer } from '#tests/support/started-server'

const file = `
workspace: shop
title: Shop
collections:
  things:
    fields:
      name: { type: text }
      meaning: { type: vector, dimensions: 2 }
  notes:
    fields:
      text: { type: text }
      meaning: { type: vector, dimensions: 2, embed: { fields: [text], with: small } }
apis:
  notes:
    endpoints:
      every: { kind: all, collection: notes }
  shop:
    title: Shop
    endpoints:
      search: { kind: match, collection: things }
      near: { kind: nearest, collection: things, field: meaning, limit: 2 }
      best: { kind: mix, of: { search: 0.5, near: 0.5 }, title: Best }
`
const documents = [
  { id: 'urn:thing:1', name: 'Kettle', meaning: [1, 0] },
  { id: 'urn:thing:2', name: 'Teapot', meaning: [0.9, 0.3] },
  { id: 'urn:thing:3', name: 'Whistling kettle of steel', meaning: [0, 1] },
]

let server: StartedServer
before(async () => {
  // No text is sent to it.
  const host = '127.0.0.1:9'
  server = await startServer([], {
    QUERENT_INTERNAL_HOSTS: host,
    QUERENT_EMBEDDERS: JSON.stringify({
      small: { url: `http://${host}/v1`, model: 'small', dimensions: 2 },
    }),
  })
  await server.applyWorkspace(file)
  await server.importDocuments('shop', 'things', documents.map(one => JSON.stringify(one)).join('\n'))
})
after(async () => {
  await server?.stop()
})

const readResults = async (page: Page): Promise<Record<string, string>> => {
  const results = await page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading') })
    .all()
  return Object.fromEntries(
    await Promise.all(
      results.map(async result => [
        (await result.getByRole('heading').textContent()) ?? '',
        (await result.getByText(/^By (words|meaning): /).allTextContents()).join(', '),
      ]),
    ),
  )
}

test('a result of a mix shows its rank by words and by meaning, and other results show none', async () => {
  const { page, end } = await visitSignedIn(
    server,
    `/w/shop/apis/shop?stack=${encodeURIComponent('e/best/p/query/kettle/p/vector/1,0')}`,
  )
  await page.getByText('3 results').waitFor()
  await page.getByText('By meaning: rank 2').waitFor()
  assert.deepEqual(await readResults(page), {
    Kettle: 'By words: rank 1, By meaning: rank 1',
    Teapot: 'By meaning: rank 2',
    'Whistling kettle of steel': 'By words: rank 2',
  })
  await inspectViews(page, 'try-it-mix', undefined)
  await page.goto(
    `${server.authUrl}/console/w/shop/apis/shop?stack=${encodeURIComponent('e/search/p/query/kettle')}`,
  )
  await page.getByText('2 results').waitFor()
  assert.equal(await page.getByText(/^By (words|meaning): /).count(), 0)
  await end()
})

test('the form of a search by meaning proposes words where the server makes the vectors', async () => {
  const { page, end } = await visitSignedIn(server, '/w/shop/apis/notes/endpoints')
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel('Nearest by meaning').check()
  const input = page.getByLabel('Parameter with the words')
  await input.waitFor()
  assert.equal(await input.getAttribute('placeholder'), 'query')
  assert.equal(await page.getByLabel('Parameter with the vector').count(), 0)
  await end()
})
