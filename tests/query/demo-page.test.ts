/** The search pages of `querent demo`, in Chromium. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import type { Entry } from '#dictionary/wordnet'
import { waitUntil } from '#server/test-wait'
import { openChromium, stepMsMax } from '#tests/support/chromium'
import { type Description, descriptions, everydayDescriptions } from '#tests/support/demo-descriptions'
import { inspectEveryView, inspectNarrowest } from '#tests/support/pages-inspect'
import { type StartedDemo, startDemo } from '#tests/support/started-demo'

let folder: string
let demo: StartedDemo
let browser: Browser
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-demo-page-'))
  ;[demo, browser] = await Promise.all([startDemo(folder), openChromium()])
})
after(async () => {
  await browser?.close()
  await demo?.stop()
  await rm(folder, { recursive: true })
})

/** Opens the page. At the end of `use`, the browser has reported no error, such as a violation of its Content-Security-Policy. */
const withPage = async (query: string, use: (page: Page, bodies: string[]) => Promise<void>) => {
  const page = await browser.newPage()
  page.setDefaultTimeout(stepMsMax)
  const errors: string[] = []
  const requests: string[] = []
  page.on('console', message => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', error => errors.push(String(error)))
  page.on('request', request =>
    requests.push(JSON.stringify([request.url(), request.headers(), request.postData()])),
  )
  await page.goto(`${demo.searchPage}${query}`)
  await use(page, requests)
  assert.deepEqual(errors, [])
  await page.close()
}
const box = (page: Page) => page.getByRole('searchbox', { name: 'Search' })
const titles = (page: Page) => page.locator('#results h2')
/** Waits for the number of results, and returns it. */
const readTotal = async (page: Page): Promise<number> => {
  const text = await page.getByText(/^[\d,]+ results? in /).textContent()
  return Number((text ?? '').replace(/ .*/, '').replaceAll(',', ''))
}

test('typing finds words, with marks, definition, filters with counts, and time', () =>
  withPage('', async (page, requests) => {
    assert.equal(await box(page).evaluate('document.activeElement.id'), 'query')
    await page.getByRole('link', { name: 'fear of small spaces' }).waitFor()
    await box(page).pressSequentially('large feline with str')
    const tiger = page.locator('#results li', {
      has: page.getByRole('heading', { name: 'tiger', exact: true }),
    })
    await tiger.waitFor()
    assert.match((await tiger.textContent()) ?? '', /Panthera tigris.*large feline of forests/)
    assert.deepEqual((await tiger.locator('mark').allInnerTexts()).slice(0, 2), ['large', 'feline'])
    const total = await readTotal(page)

    const animals = page.getByRole('checkbox', { name: /^Animals/ })
    const readCount = async () =>
      Number(await page.locator('label', { has: animals }).locator('.count').textContent())
    const count = await readCount()
    assert.ok(count > 0 && count < total)
    await animals.check()
    // Both may have been of a text that was typed earlier.
    await waitUntil(async () => (await readTotal(page)) === (await readCount()))
    // The focus stays, for the next filter.
    assert.equal(await page.evaluate('document.activeElement.value'), 'noun.animal')

    // No request carries a token or a secret.
    assert.ok(requests.some(request => request.includes('/batch')))
    for (const request of requests) assert.doesNotMatch(request, /authorization"|qrs_/i)
  }))

/** Returns the descriptions whose word is not among the first four. */
const findMissed = async (list: readonly Description[]): Promise<string[]> => {
  const missed: string[] = []
  for (const { text, words, domain } of list) {
    const path = `/4/dictionary/api/search-page/e/search/p/query/${encodeURIComponent(text)}/results?count=4`
    const reply = await fetch(demo.baseUrl + path)
    const { items } = (await reply.json()) as { items: { tuple: { attributes: Partial<Entry> }[] }[] }
    const isMeant = ({ tuple: [entry] }: (typeof items)[number]) =>
      [entry?.attributes.words ?? []].flat().some(word => words.includes(word.toLowerCase())) &&
      (domain === undefined || entry?.attributes.domain === domain)
    if (!items.some(isMeant)) missed.push(text)
  }
  return missed
}

for (const [name, list] of Object.entries({ descriptions, everydayDescriptions }))
  test(`at least 80 % of the frozen ${name} find their word in the first four`, async t => {
    const missed = await findMissed(list)
    t.diagnostic(`missed: ${missed.join(', ')}`)
    assert.ok(missed.length <= 0.2 * list.length, missed.join(', '))
  })

test('the pages of a complete demo say nothing of an import', async () => {
  for (const path of ['', 'cities/'])
    await withPage('', async page => {
      const countReply = page.waitForResponse('**/e/everything/count')
      await page.goto(`${demo.searchPage}${path}`)
      assert.equal((await countReply).status(), 200)
      await page.getByText('Map of').or(page.getByText('Try one')).or(titles(page).first()).first().waitFor()
      assert.equal(await page.locator('#importing').isVisible(), false)
    })
})

test('while documents are imported, the pages say how many are there, and search again until all are', async () => {
  for (const [path, text, nothing] of [
    ['?q=beekeeper&partOfSpeech=verb', '48,000 of 117,791 entries', 'Nothing found so far'],
    ['cities/?q=xqzzv', '12,000 of 24,359 cities', 'No city found so far'],
  ] as const)
    await withPage('', async page => {
      let total = Number(text.replace(/ .*/, '').replace(',', ''))
      await page.route('**/e/everything/count', route => route.fulfill({ json: { total } }))
      await page.goto(`${demo.searchPage}${path}`)
      await page.getByText(`${text} are imported so far.`).waitFor()
      await page.getByRole('heading', { name: nothing }).waitFor()
      const searchedAgain = page.waitForRequest('**/batch')
      total = 1e6
      await searchedAgain
      await page.getByText('are imported so far.').waitFor({ state: 'hidden' })
      await page.getByRole('heading', { name: nothing.replace(' so far', ''), exact: true }).waitFor()
    })
})

test('a search without results helps, and filters can be removed', () =>
  withPage('?q=beekeeper&partOfSpeech=verb', async page => {
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
    await page.getByRole('link', { name: 'baby dog' }).waitFor()
    await page.getByRole('link', { name: 'Search without the filters.' }).click()
    await titles(page).getByText('beekeeper').first().waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Remove the filter Verbs' }).click()
    await titles(page).getByText('beekeeper').first().waitFor()
    assert.equal(new URL(page.url()).search, '?q=beekeeper')
  }))

test('on a phone, filters are a sheet that says how many results it leaves', () =>
  withPage('?q=tiger', async page => {
    await page.setViewportSize({ width: 390, height: 800 })
    await titles(page).first().waitFor()
    await page.getByText('Filters', { exact: true }).click()
    await page.getByRole('checkbox', { name: /^Animals/ }).check()
    await page.getByText('Filters (1)').waitFor()
    await page.getByRole('button', { name: /^Show \d+ results?$/ }).click()
    await page.getByRole('checkbox', { name: /^Animals/ }).waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'Remove the filter Animals' }).waitFor()
  }))

test('the request behind a search can be seen, with its reply', () =>
  withPage('?q=tiger', async page => {
    await titles(page).first().waitFor()
    await page.getByText('See this request').click()
    await page
      .getByText(/^GET \/4\/dictionary\/api\/search-page\/e\/search\/p\/query\/tiger\/results/)
      .waitFor()
    assert.match((await page.locator('#request-reply').textContent()) ?? '', /Panthera|"total"/)
  }))

test('without a connection the page says so, and searches again when it is back', () =>
  withPage('?q=tiger', async page => {
    await titles(page).first().waitFor()
    await page.context().setOffline(true)
    page.removeAllListeners('console')
    await box(page).fill('acrophobia')
    await page.getByText('No connection to the search.').waitFor()
    assert.equal(await titles(page).count(), 0)
    await page.context().setOffline(false)
    await titles(page).getByText('acrophobia', { exact: true }).first().waitFor()
  }))

test('an address holds the whole search, and Back returns to the one before', () =>
  withPage('?q=striped+cat&partOfSpeech=noun&page=2', async page => {
    assert.equal(await box(page).inputValue(), 'striped cat')
    await page.getByText(/^Page 2 of /).waitFor()
    assert.ok(
      await page
        .getByRole('checkbox', { name: /^Nouns/ })
        .first()
        .isChecked(),
    )
    assert.equal(await page.locator('#results').getAttribute('start'), '11')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText(/^Page 3 of /).waitFor()
    await page.goBack()
    await page.getByText(/^Page 2 of /).waitFor()
    assert.equal(new URL(page.url()).search, '?q=striped+cat&partOfSpeech=noun&page=2')
  }))

test('a text that finds nothing gets a suggestion', () =>
  withPage('?q=xiger', async page => {
    await page.getByText('No results').waitFor()
    await page.getByRole('link', { name: 'tiger' }).click()
    await titles(page).getByText('tiger', { exact: true }).first().waitFor()
    assert.equal(await box(page).inputValue(), 'tiger')
  }))

test('the keyboard reaches everything', () =>
  withPage('?q=tiger', async page => {
    await titles(page).first().waitFor()
    await page.keyboard.press('ArrowDown')
    assert.equal(
      await page.evaluate('document.activeElement.textContent'),
      await titles(page).first().textContent(),
    )
    await page.keyboard.press('ArrowDown')
    const second = await page.evaluate('document.activeElement.textContent')
    await page.keyboard.press('Enter')
    assert.equal(await box(page).inputValue(), second)
    await page.getByRole('button', { name: 'Next' }).focus()
    await page.keyboard.press('/')
    await page.keyboard.type('acrophobia')
    await titles(page).getByText('acrophobia', { exact: true }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Try one').waitFor()
  }))

test('text of an address or a document is never HTML', () =>
  withPage(`?q=${encodeURIComponent('<img src=x onerror=alert(1)> " tiger')}`, async page => {
    await readTotal(page)
    assert.equal(await page.locator('main img').count(), 0)
  }))

test('an error of the server is shown as text', () =>
  withPage('?q=tiger', async page => {
    await titles(page).first().waitFor()
    await page.route('**/batch', route =>
      route.fulfill({ status: 400, json: { code: 'x', message: 'Try another word.' } }),
    )
    // The browser reports the failed request, as it should.
    page.removeAllListeners('console')
    await box(page).fill('tigers')
    await page.getByText('Try another word.').waitFor()
  }))

test('axe finds nothing in light and dark, and nothing overflows down to 320 px', () =>
  withPage('?q=large+feline+with+stripes', async page => {
    await titles(page).first().waitFor()
    await inspectEveryView(page, 'search-page', 'demo')
    await inspectNarrowest(page, 'search page')
    await page.goto(demo.searchPage)
    await page.getByText('Try one').waitFor()
    await inspectEveryView(page, 'search-page-start', undefined)
  }))

test('the page of cities has pictures, filters, a range, sorts and a map that follow the search', () =>
  withPage('cities/?q=tokio', async page => {
    await page.getByRole('heading', { name: 'Tokyo', exact: true }).waitFor()
    await page.getByRole('img', { name: 'Flag of Japan' }).first().waitFor()
    await page.getByRole('img', { name: /^Map of .* cities, first Tokyo$/ }).waitFor()
    await page.getByRole('link', { name: 'Nearby Tokyo' }).click()
    await page.getByRole('link', { name: 'Remove the filter Within 250 km of Tokyo' }).waitFor()
    await page.getByRole('slider', { name: 'At least' }).fill('6')
    await page.getByRole('link', { name: 'Remove the filter From 1M people' }).waitFor()
    await page.getByRole('combobox', { name: 'Sort' }).selectOption('By name')
    await page.getByRole('heading', { name: 'Kawasaki', exact: true }).waitFor()
    await page.getByText('See this request').click()
    await page.getByText(/^GET .*\/e\/near\/p\/circle\/35\.69.*\/e\/by-name\/results/).waitFor()
    await inspectEveryView(page, 'cities', undefined)
    await inspectNarrowest(page, 'page of cities')

    await box(page).fill('lodon')
    await page.getByRole('heading', { name: 'No city found' }).waitFor()
    await page.getByRole('link', { name: 'Search without the filters.' }).click()
    await page.getByRole('heading', { name: 'London', exact: true }).first().waitFor()
  }))

test('the page is small, strict, and linked from the address of the query service', async () => {
  const browse = (url: string) => fetch(url, { headers: { accept: 'text/html' } })
  const reply = await browse(demo.searchPage)
  const policy = reply.headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /)
  assert.doesNotMatch(policy, /unsafe|nonce|\*/)
  const html = await reply.text()
  const files = [...html.matchAll(/(?:src|href)="(\/demo\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  const sizes = await Promise.all(
    files.map(async path => gzipSync(await (await fetch(demo.baseUrl + path)).text()).length),
  )
  assert.equal(sizes.length, 3)
  assert.ok(sizes.reduce((sum, size) => sum + size) < 10 * 1024, String(sizes))
  assert.match(await (await browse(`${demo.baseUrl}/`)).text(), /href="\/demo\/"/)
  // The API of the demo still has members only.
  const members = await fetch(`${demo.baseUrl}/4/dictionary/api/dictionary/e/search/p/query/x/count`)
  assert.equal(members.status, 401)
})
