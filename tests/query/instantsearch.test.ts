/** `@querent/instantsearch` in Chromium with the widgets of InstantSearch.js, React InstantSearch and Vue InstantSearch. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type GalleryPage,
  type GallerySite,
  galleryFile,
  openGalleryPage,
  openGallerySite,
  works,
} from '#tests/support/instantsearch-site'
import { makeMember, registerApplication } from '#tests/support/person'
import { type CodeBlock, readBlocks } from '#tests/support/read-blocks'

let site: GallerySite
let settings: string
let blocks: CodeBlock[]
before(async () => {
  site = await openGallerySite()
  // The settings of docs/instantsearch.md.
  blocks = await readBlocks('instantsearch.md')
  settings = (blocks.find(({ code }) => code.includes("'gallery'"))?.code ?? '').replace(
    'export const',
    'const',
  )
})
after(() => site?.close())

const titleById = Object.fromEntries(works.map(({ id, title }) => [id, title]))
const titles = (...ids: string[]): string[] => ids.map(id => titleById[id] ?? id)

/** Every widget of the documentation, in InstantSearch.js. */
const widgetsPage = () =>
  openGalleryPage(
    site,
    `${settings}
import instantsearch from 'instantsearch.js'
import * as widgets from 'instantsearch.js/es/widgets'
const search = instantsearch({ indexName: 'works', searchClient })
search.on('error', ({ error }) => { document.querySelector('#error').textContent = error.message })
const at = id => ({ container: '#' + id })
search.addWidgets([
  widgets.searchBox(at('box')),
  widgets.configure({ hitsPerPage: 3 }),
  widgets.stats(at('stats')),
  widgets.refinementList({ ...at('artist'), attribute: 'artist', searchable: true }),
  widgets.refinementList({ ...at('tags'), attribute: 'tags', operator: 'and' }),
  widgets.hierarchicalMenu({ ...at('place'), attributes: ['place.lvl0', 'place.lvl1'] }),
  widgets.rangeInput({ ...at('year'), attribute: 'year' }),
  widgets.toggleRefinement({ ...at('show'), attribute: 'onShow', templates: { labelText: 'On show' } }),
  widgets.sortBy({ ...at('sort'), items: [{ value: 'works', label: 'Best' }, { value: 'works_oldest', label: 'Oldest' }] }),
  widgets.pagination(at('pages')),
  widgets.clearRefinements(at('clear')),
  widgets.hits({ ...at('hits'), templates: {
    item: (hit, { html, components }) => html\`<p data-title>\${components.Highlight({ hit, attribute: 'title' })}</p>\`,
  } }),
])
search.start()
Object.assign(window, { search })`,
    ['box', 'stats', 'artist', 'tags', 'place', 'year', 'show', 'sort', 'clear', 'hits', 'pages', 'error']
      .map(id => `<div id="${id}"></div>`)
      .join(''),
  )

/** Reads the labels and counts of a list of facet values. */
const readCounts = (gallery: GalleryPage, id: string): Promise<string[]> =>
  gallery.page
    .locator(`#${id} label, #${id} .ais-HierarchicalMenu-link`)
    .allInnerTexts()
    .then(texts => texts.map(text => text.trim().replace(/\s*(\d+)$/, ' $1')))

test('the widgets of InstantSearch.js show hits, facets, ranges, toggles, sorts and pages', async t => {
  const gallery = await widgetsPage()
  t.after(() => gallery.close())
  const { page, waitForTitles } = gallery
  await page.getByText('7 results').waitFor()
  const list = (id: string) => page.locator(`#${id}`)

  // Disjunctive: the other artists keep their counts.
  assert.deepEqual(await readCounts(gallery, 'artist'), [
    'Vermeer 4',
    'Fabritius 1',
    'Potter 1',
    'Rembrandt 1',
  ])
  await list('artist').getByText('Rembrandt').click()
  await waitForTitles(...titles('watch'))
  await list('artist').getByText('Potter').click()
  await waitForTitles(...titles('bull', 'watch'))
  assert.deepEqual((await readCounts(gallery, 'artist')).sort(), [
    'Fabritius 1',
    'Potter 1',
    'Rembrandt 1',
    'Vermeer 4',
  ])
  await list('clear').getByRole('button').click()
  await page.getByText('7 results').waitFor()

  // Conjunctive: the other tags count among the hits.
  await list('tags').getByText('girl', { exact: true }).click()
  await page.getByText('4 results').waitFor()
  assert.deepEqual(await readCounts(gallery, 'tags'), ['girl 4', 'group 1', 'letter 1', 'pearl 1'])
  await list('tags').getByText('pearl', { exact: true }).click()
  await waitForTitles(...titles('girl'))
  await list('clear').getByRole('button').click()
  await page.getByText('7 results').waitFor()

  // Hierarchy.
  assert.deepEqual((await readCounts(gallery, 'place')).sort(), ['France 1', 'Holland 6'])
  await list('place').getByText('Holland').click()
  await page.getByText('6 results').waitFor()
  assert.deepEqual((await readCounts(gallery, 'place')).sort(), [
    'Amsterdam 3',
    'France 1',
    'Holland 6',
    'The Hague 3',
  ])
  await list('place').getByText('The Hague').click()
  await waitForTitles(...titles('bull', 'finch', 'girl'))
  assert.deepEqual((await readCounts(gallery, 'place')).sort(), [
    'Amsterdam 3',
    'France 1',
    'Holland 6',
    'The Hague 3',
  ])
  await list('clear').getByRole('button').click()
  await page.getByText('7 results').waitFor()

  // Range, with the bounds of the results as placeholders.
  const [from, to] = [list('year').locator('input').first(), list('year').locator('input').last()]
  assert.deepEqual(
    [await from.getAttribute('placeholder'), await to.getAttribute('placeholder')],
    ['1642', '1670'],
  )
  await from.fill('1650')
  await to.fill('1660')
  await list('year').getByRole('button').click()
  await waitForTitles(...titles('finch', 'letter', 'milk'))
  await list('clear').getByRole('button').click()
  await page.getByText('7 results').waitFor()

  // Toggle.
  await list('show').getByRole('checkbox').check()
  await page.getByText('5 results').waitFor()
  await list('clear').getByRole('button').click()
  await page.getByText('7 results').waitFor()

  // Sort and pages.
  await list('sort').getByRole('combobox').selectOption('works_oldest')
  await waitForTitles(...titles('watch', 'bull', 'finch'))
  await list('pages').getByRole('link', { name: 'Page 3', exact: true }).click()
  await waitForTitles(...titles('lace'))
  assert.equal(await list('error').textContent(), '')
})

test('each keystroke is one request, with facets that are refined too', async t => {
  const gallery = await widgetsPage()
  t.after(() => gallery.close())
  const { page, takeRequests, waitForTitles } = gallery
  await page.getByText('7 results').waitFor()
  await page.locator('#artist').getByText('Vermeer').click()
  await page.getByText('4 results').waitFor()
  await page.locator('#place').getByText('Holland').click()
  await page.getByText('3 results').waitFor()
  takeRequests()
  const box = page.getByRole('searchbox').first()
  for (const [index, key] of [...'girl'].entries()) {
    const reply = page.waitForResponse(response => response.url().endsWith('/batch'))
    await box.press(key)
    await reply
    const requests = takeRequests()
    assert.deepEqual(
      requests.map(request => `${request.method()} ${new URL(request.url()).pathname}`),
      ['POST /4/gallery/api/works/batch'],
      `keystroke ${index + 1}`,
    )
  }
  await waitForTitles(...titles('girl', 'letter'))
})

test('matches are marked, and HTML in documents stays text', async t => {
  const gallery = await widgetsPage()
  t.after(() => gallery.close())
  const { page, waitForTitles } = gallery
  await page.getByRole('searchbox').first().fill('pins')
  await waitForTitles(...titles('lace'))
  const title = page.locator('[data-title]')
  assert.deepEqual(await title.locator('mark').allTextContents(), ['pins'])
  assert.equal(await title.locator('b').count(), 0)
})

test('facet values can be searched', async t => {
  const gallery = await widgetsPage()
  t.after(() => gallery.close())
  const { page } = gallery
  await page.getByText('7 results').waitFor()
  await page.locator('#artist').getByRole('searchbox').fill('rem')
  await page.locator('#artist mark').getByText('Rem').waitFor()
  assert.deepEqual(await readCounts(gallery, 'artist'), ['Rembrandt 1'])
  await page.locator('#artist').getByText('Rembrandt').click()
  await gallery.waitForTitles(...titles('watch'))
})

/** Runs a search with other ranges, and returns its reply or the message of its error. */
const searchRanges = async (ranges: string, params: string): Promise<Record<string, unknown>> => {
  const gallery = await openGalleryPage(
    site,
    `${settings.replace(/ranges: .*/, `ranges: ${ranges},`)}
const write = value => { document.querySelector('#root').textContent = JSON.stringify(value) }
searchClient.search([{ indexName: 'works', params: ${params} }]).then(
  ({ results: [{ nbHits, facets_stats: stats, processingTimeMS: ms }] }) => write({ nbHits, stats, isTimed: ms > 0 }),
  ({ message }) => write({ message }),
)`,
  )
  try {
    await gallery.page.getByText('{').waitFor()
    return JSON.parse((await gallery.page.locator('#root').textContent()) ?? '')
  } finally {
    await gallery.close()
  }
}

test('ranges have bounds and filter, however documents write numbers and dates', async () => {
  const ranges = blocks.find(({ code }) => code.includes('export const ranges'))?.code ?? ''
  const documented = ranges.replace('export const ranges = ', '')
  const facets = "facets: ['price', 'bought']"
  const stats = {
    price: { min: 0.107, max: 1509.52 },
    bought: { min: Date.UTC(1881, 3, 28), max: Date.UTC(1956, 4, 13) },
  }
  assert.deepEqual(await searchRanges(documented, `{ ${facets} }`), { nbHits: 7, stats, isTimed: true })
  const bounds = [`bought>=${Date.UTC(1896, 0, 29)}`, `bought<=${Date.UTC(1926, 6, 19)}`, 'price<=900']
  assert.deepEqual(await searchRanges(documented, `{ numericFilters: ${JSON.stringify(bounds)} }`), {
    nbHits: 3,
    stats: {},
    isTimed: true,
  })
})

test('bounds that sorts cannot tell are an error that names the attribute', async () => {
  const sorts = "{ price: { endpoint: 'prices', ascending: 'cheapest', descending: 'dearest' } }"
  const { message } = await searchRanges(sorts, "{ facets: ['price'] }")
  assert.match(String(message), /0,107.*price.*statistics/)
  const otherReply = await searchRanges("{ price: { statistics: 'artist' } }", "{ facets: ['price'] }")
  assert.match(String(otherReply.message), /price.*statistics/)
})

test('places: a radius keeps the hits within it, and the nearest come first', async t => {
  const gallery = await openGalleryPage(
    site,
    `${settings}
import instantsearch from 'instantsearch.js'
import { configure, hits } from 'instantsearch.js/es/widgets'
const search = instantsearch({ indexName: 'works', searchClient })
search.addWidgets([
  configure({ aroundLatLng: '52.08, 4.31', aroundRadius: 70000 }),
  hits({ container: '#root', templates: { item: (hit, { html }) => html\`<i data-title>\${hit.objectID.split('/').at(-1)} \${hit._geoloc.lng}</i>\` } }),
])
search.start()`,
  )
  t.after(() => gallery.close())
  await gallery.waitForTitles(
    'bull 4.314',
    'finch 4.314',
    'girl 4.314',
    'letter 4.885',
    'milk 4.885',
    'watch 4.885',
  )
})

for (const area of [
  "insideBoundingBox: '52.2,4.4,51.9,4.2'",
  'insideBoundingBox: [[51.9, 4.2, 52.2, 4.4]]',
  'insidePolygon: [[51.9, 4.2, 52.2, 4.2, 52.2, 4.4, 51.9, 4.4]]',
])
  test(`a box or a polygon keeps the hits inside: ${area}`, async t => {
    const gallery = await openGalleryPage(
      site,
      `${settings}
searchClient.search([{ indexName: 'works', params: { ${area} } }]).then(({ results: [{ hits }] }) => {
  document.querySelector('#root').textContent = hits.map(hit => hit.objectID.split('/').at(-1)).sort().join(' ')
})`,
    )
    t.after(() => gallery.close())
    await gallery.page.getByText('bull finch girl').waitFor()
  })

test('a parameter that no endpoint can answer is an error that names it', async t => {
  const gallery = await openGalleryPage(
    site,
    `${settings}
searchClient.search([{ indexName: 'works', params: { filters: 'artist:Vermeer' } }]).catch(error => {
  document.querySelector('#root').textContent = error.message
})`,
  )
  t.after(() => gallery.close())
  await gallery.page.getByText('the parameter filters').waitFor()
})

test('React InstantSearch shows hits and refinement lists', async t => {
  const gallery = await openGalleryPage(
    site,
    `${settings}
import { createRoot } from 'react-dom/client'
import { Highlight, Hits, InstantSearch, RefinementList, SearchBox, Snippet } from 'react-instantsearch'
const Hit = ({ hit }) => <p data-title><Highlight hit={hit} attribute="title" /><Snippet hit={hit} attribute="title" hidden /></p>
createRoot(document.querySelector('#root')).render(
  <InstantSearch indexName="works" searchClient={searchClient} future={{ preserveSharedStateOnUnmount: true }}>
    <SearchBox /><RefinementList attribute="artist" /><Hits hitComponent={Hit} />
  </InstantSearch>,
)`,
  )
  t.after(() => gallery.close())
  const { page } = gallery
  await page.getByText('Potter').click()
  await page.getByText('The young bull').first().waitFor()
  await page.getByText('Potter').click()
  await page.getByRole('searchbox').fill('milkm')
  await page.locator('mark').getByText('milkm').first().waitFor()
})

test('Vue InstantSearch shows hits and refinement lists', async t => {
  const gallery = await openGalleryPage(
    site,
    `${settings}
import { createApp, h } from 'vue'
import { AisHits, AisInstantSearch, AisRefinementList, AisSearchBox } from 'vue-instantsearch/vue3/es'
createApp({
  render: () => h(AisInstantSearch, { indexName: 'works', searchClient }, () => [
    h(AisSearchBox), h(AisRefinementList, { attribute: 'artist' }),
    h(AisHits, null, { item: ({ item }) => h('p', { 'data-title': '' }, item.title) }),
  ]),
}).mount('#root')`,
  )
  t.after(() => gallery.close())
  await gallery.page.getByText('Potter').click()
  await gallery.waitForTitles(...titles('bull'))
  await gallery.page.getByText('Potter').click()
  await gallery.page.getByRole('searchbox').fill('milkm')
  await gallery.waitForTitles(...titles('milk'))
})

test('the examples of docs/instantsearch.md run', async t => {
  const museum = await readBlocks('query.md')
  const find = (list: readonly CodeBlock[], language: string, text = '') =>
    list.find(block => block.language === language && block.code.includes(text))?.code ?? assert.fail(text)
  await site.server.applyWorkspace(find(museum, 'yaml'))
  await site.server.importDocuments('museum', 'works', find(museum, 'ndjson'))
  const member = await makeMember(site.server, 'museum', 'reader@example.org')
  const plain = await openGalleryPage(site, find(blocks, 'js', 'searchBox'), find(blocks, 'html'))
  t.after(() => plain.close())
  const react = await openGalleryPage(site, find(blocks, 'tsx'))
  t.after(() => react.close())
  for (const { page, waitForTitles } of [plain, react]) {
    await page.getByText('Potter').first().click()
    await waitForTitles('The young bull')
  }
  const signedIn = find(blocks, 'js', 'browserSignIn')
    .replace('export const', 'const')
    .replaceAll('http://127.0.0.1:4001', site.server.authUrl)
  const gallery = await openGalleryPage(site, async url => {
    const { clientId } = await registerApplication(site.server, 'museum', 'browser', `${url}/callback`)
    return `${signedIn.replace('YOUR_CLIENT_ID', clientId)}
const { results } = await searchClient.search([{ indexName: 'works', params: { query: 'bull' } }])
document.querySelector('#root').innerHTML = '<p data-title></p>'
document.querySelector('[data-title]').textContent = signIn.person().email + ' finds ' + results[0].nbHits`
  })
  t.after(() => gallery.close())
  await gallery.page.getByLabel('E-mail address').fill(member.email)
  await gallery.page.getByLabel('Password').fill(member.password)
  await gallery.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await gallery.page.getByRole('button', { name: 'Allow', exact: true }).click()
  await gallery.waitForTitles(`${member.email} finds 1`)
})

test('a row filter holds for signed-in people: hits, counts and facet values', async t => {
  const member = await makeMember(site.server, 'gallery', 'guide@example.org')
  await site.server.applyWorkspace(`${galleryFile}members:
  ${member.email}: { roles: [api], filter: { artist: Vermeer } }
`)
  const gallery = await openGalleryPage(
    site,
    async url => {
      const { clientId } = await registerApplication(site.server, 'gallery', 'browser', `${url}/callback`)
      return `
import { browserSignIn } from '@querent/client'
import { createSearchClient } from '@querent/instantsearch'
import instantsearch from 'instantsearch.js'
import { hits, refinementList, stats } from 'instantsearch.js/es/widgets'
const signIn = browserSignIn({ authUrl: '${site.server.authUrl}', audience: 'http://127.0.0.1:4000', clientId: '${clientId}' })
if (signIn.isCallback()) await signIn.finish()
if (signIn.person() === undefined) await signIn.start()
const searchClient = createSearchClient({ baseUrl: 'http://127.0.0.1:4000', workspace: 'gallery', api: 'members', token: signIn.token })
const search = instantsearch({ indexName: 'works', searchClient })
search.addWidgets([stats({ container: '#stats' }), refinementList({ container: '#artist', attribute: 'artist' }), hits({ container: '#root' })])
search.start()`
    },
    '<div id="stats"></div><div id="artist"></div><div id="root"></div>',
  )
  t.after(() => gallery.close())
  await gallery.page.getByLabel('E-mail address').fill(member.email)
  await gallery.page.getByLabel('Password').fill(member.password)
  await gallery.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await gallery.page.getByRole('button', { name: 'Allow', exact: true }).click()
  await gallery.page.getByText('4 results').waitFor()
  assert.deepEqual(await readCounts(gallery, 'artist'), ['Vermeer 4'])
})
