/** A workspace of paintings for the widgets of InstantSearch, and pages that show them in Chromium. */
import assert from 'node:assert/strict'
import type { Browser, Page, Request } from 'playwright-core'
import { patienceMs } from '#server/test-wait'
import { serveBundledPage } from './bundled-page.ts'
import { openChromium, stepMsMax } from './chromium.ts'
import { type StartedServer, startServer } from './started-server.ts'

export const galleryFile = `
workspace: gallery
collections:
  works:
    id: { field: id, uri: "https://gallery.example/{id}" }
    language: english
    fields:
      title: { type: text }
      artist: { type: keyword }
      tags: { type: keyword }
      place: { type: keyword }
      year: { type: number }
      onShow: { type: boolean }
      at: { type: geo }
      price: { type: number, decimal: "," }
      bought: { type: date, formats: [dd.MM.yyyy] }
apis:
  works:
    access: public
    endpoints:
      search: { kind: match, collection: works, prefix: true, typos: true }
      artist: { kind: facet, field: artist }
      tags: { kind: facet, field: tags }
      place: { kind: facet, field: place, separator: " > " }
      years: { kind: range, field: year }
      onShow: { kind: filter, field: onShow, value: true }
      oldest: { kind: sort, field: year }
      newest: { kind: sort, field: year, order: descending }
      within: { kind: filter, field: at }
      area: { kind: area, field: at }
      nearest: { kind: sort, field: at }
      prices: { kind: range, field: price }
      price-figures: { kind: facet, field: price, statistics: true }
      cheapest: { kind: sort, field: price }
      dearest: { kind: sort, field: price, order: descending }
      boughtBetween: { kind: range, field: bought }
      bought-figures: { kind: facet, field: bought, statistics: true }
  members:
    endpoints:
      search: { kind: match, collection: works }
      artist: { kind: facet, field: artist }
`

const amsterdam = { place: 'Holland > Amsterdam', at: { lat: 52.36, lon: 4.885 } }
const hague = { place: 'Holland > The Hague', at: { lat: 52.08, lon: 4.314 } }
const paris = { place: 'France > Paris', at: { lat: 48.86, lon: 2.337 } }
export const works = [
  {
    id: 'girl',
    title: 'Girl with a pearl earring',
    artist: 'Vermeer',
    tags: ['girl', 'pearl'],
    year: 1665,
    price: '1.509,52',
    bought: '28.04.1925',
    onShow: true,
    ...hague,
  },
  {
    id: 'letter',
    title: 'Girl reading a letter',
    artist: 'Vermeer',
    tags: ['girl', 'letter'],
    year: 1657,
    price: '2,20',
    bought: '19.07.1926',
    onShow: false,
    ...amsterdam,
  },
  {
    id: 'milk',
    title: 'The milkmaid',
    artist: 'Vermeer',
    tags: ['kitchen'],
    year: 1660,
    price: '0,107',
    bought: '23.03.1931',
    onShow: true,
    ...amsterdam,
  },
  {
    id: 'lace',
    title: 'The lacemaker & her <b>pins</b>',
    artist: 'Vermeer',
    tags: ['girl'],
    year: 1670,
    price: '59,663',
    bought: '29.01.1896',
    onShow: true,
    ...paris,
  },
  {
    id: 'watch',
    title: 'The night watch',
    artist: 'Rembrandt',
    tags: ['group', 'girl'],
    year: 1642,
    price: '8',
    bought: '13.05.1956',
    onShow: true,
    ...amsterdam,
  },
  {
    id: 'finch',
    title: 'The goldfinch',
    artist: 'Fabritius',
    tags: ['bird'],
    year: 1654,
    price: '900',
    bought: '03.08.1910',
    onShow: false,
    ...hague,
  },
  {
    id: 'bull',
    title: 'The young bull',
    artist: 'Potter',
    tags: ['animal'],
    year: 1647,
    price: '75,5',
    bought: '28.04.1881',
    onShow: true,
    ...hague,
  },
]

export interface GallerySite {
  server: StartedServer
  browser: Browser
  close(): Promise<void>
}

export const openGallerySite = async (): Promise<GallerySite> => {
  const [server, browser] = await Promise.all([startServer(), openChromium()])
  await server.applyWorkspace(galleryFile)
  await server.importDocuments('gallery', 'works', works.map(work => JSON.stringify(work)).join('\n'))
  return {
    server,
    browser,
    async close() {
      await browser.close()
      await server.stop()
    },
  }
}

export interface GalleryPage {
  page: Page
  /** Requests to the query service since the last call, without preflights. */
  takeRequests(): Request[]
  /** Waits until the page lists these titles, in this order. */
  waitForTitles(...titles: string[]): Promise<void>
  close(): Promise<void>
}

/** Opens a page whose script is `code`, with the address of the query service. */
export const openGalleryPage = async (
  { server, browser }: GallerySite,
  code: string | ((url: string) => Promise<string>),
  html?: string,
): Promise<GalleryPage> => {
  const site = await serveBundledPage(
    async url =>
      (typeof code === 'string' ? code : await code(url)).replaceAll('http://127.0.0.1:4000', server.baseUrl),
    html === undefined ? {} : { html },
  )
  const page = await browser.newPage()
  page.setDefaultTimeout(stepMsMax)
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  let requests: Request[] = []
  page.on('request', request => {
    if (request.url().startsWith(server.baseUrl) && request.method() !== 'OPTIONS') requests.push(request)
  })
  await page.goto(site.url)
  return {
    page,
    takeRequests() {
      const previousRequests = requests
      requests = []
      return previousRequests
    },
    async waitForTitles(...titles) {
      const readTitles = () => page.locator('[data-title]').allTextContents()
      try {
        await page.waitForFunction(
          (expected: string) => {
            // The page's own document, which the types of Node lack.
            const { document } = globalThis as unknown as {
              document: { querySelectorAll(selector: string): Iterable<{ textContent: string }> }
            }
            const shownTitles = [...document.querySelectorAll('[data-title]')].map(
              element => element.textContent,
            )
            return JSON.stringify(shownTitles) === expected
          },
          JSON.stringify(titles),
          { timeout: patienceMs },
        )
      } catch {
        assert.deepEqual([await readTitles(), errors], [titles, []])
      }
      assert.deepEqual(errors, [])
    },
    async close() {
      await page.close()
      await site.close()
    },
  }
}
