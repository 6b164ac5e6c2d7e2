/**
 * Time until each page of the console is usable, and the compressed JavaScript that it loads until then. Each visit is cold: the person is
 * signed in, but the browser has nothing of the console in its cache. The time includes the redirects to the authorization server and back.
 */
import type { Browser } from 'playwright-core'
import { type Figure, makeFigure } from '#bench/figure'
import { rounds } from '#bench/http/rounds'
import { openChromium } from '#tests/support/chromium'
import { type ConsolePage, consolePages } from '#tests/support/console-pages'
import { visitSignedIn } from '#tests/support/console-visit'
import { makeLibrary } from '#tests/support/library'
import { startServerProcess } from '#tests/support/started-server'

const usableMsMax = 1500
const kilobytesMax = 200

type Session = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>

interface Place {
  browser: Browser
  authUrl: string
  clientId: string
  session: Session
}

interface Arrival {
  usableMs: number
  kilobytes: number
}

const visitCold = async (
  { browser, authUrl, clientId, session }: Place,
  { path, usable }: ConsolePage,
): Promise<Arrival> => {
  // A new context has an empty cache.
  const context = await browser.newContext({
    storageState: session,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const sizes = new Map<string, Promise<number>[]>()
  page.on('requestfinished', request => {
    if (!new URL(request.url()).pathname.endsWith('.js')) return
    const size = request.sizes().then(
      ({ responseBodySize }) => responseBodySize,
      // The page is gone: the script came after it was usable.
      () => 0,
    )
    sizes.set(request.url(), [...(sizes.get(request.url()) ?? []), size])
  })
  const startMs = performance.now()
  await page.goto(`${authUrl}/console${path.replace('{clientId}', clientId)}`, { waitUntil: 'commit' })
  // Inputs of files are there and not visible.
  await page.locator(usable).first().waitFor({ state: 'attached' })
  const usableMs = performance.now() - startMs
  // After the redirects, the browser reads a script from its cache, so the larger size is the one that was sent.
  const bytes = await Promise.all(
    [...sizes.values()].map(async visits => Math.max(...(await Promise.all(visits)))),
  )
  await context.close()
  return { usableMs, kilobytes: bytes.reduce((sum, count) => sum + count, 0) / 1000 }
}

const measurePage = async (place: Place, name: string, consolePage: ConsolePage): Promise<Figure[]> => {
  const arrivals: Arrival[] = []
  for (let round = 0; round < rounds; round++) arrivals.push(await visitCold(place, consolePage))
  return [
    makeFigure(
      arrivals.map(({ usableMs }) => usableMs),
      { name: `${name}: usable after`, unit: 'ms', better: 'lower', goal: usableMsMax },
    ),
    makeFigure(
      arrivals.map(({ kilobytes }) => kilobytes),
      { name: `${name}: JavaScript`, unit: 'KB', better: 'lower', goal: kilobytesMax },
    ),
  ]
}

export const consoleFigures = async (say: (text: string) => void): Promise<Figure[]> => {
  const server = await startServerProcess()
  try {
    const { clientId } = await makeLibrary(server)
    const browser = await openChromium()
    try {
      const { context, end } = await visitSignedIn(browser, server, '/w/library')
      const session = await context.storageState()
      const figures: Figure[] = []
      const place = { browser, authUrl: server.authUrl, clientId, session }
      for (const [name, consolePage] of Object.entries(consolePages)) {
        say(name)
        figures.push(...(await measurePage(place, name, consolePage)))
      }
      await end()
      return figures
    } finally {
      await browser.close()
    }
  } finally {
    await server.stop()
  }
}
