/** Shared setup of the sign-in tests: a started server with a library and its reader, the applications of `examples/`, and Chromium. */
import type { Browser, Request } from 'playwright-core'
import { openChromium, stepMsMax } from './chromium.ts'
import { driveFinder, type RunningExample, startPortal, startSinglePage } from './examples.ts'
import { makeLibrary } from './library.ts'
import { makeMember } from './person.ts'
import { startServer } from './started-server.ts'

export const openSignInSite = async () => {
  const server = await startServer()
  const library = await makeLibrary(server)
  const ada = await makeMember(server, library.workspace, 'reader@example.org')
  const [singlePage, portal, browser] = await Promise.all([
    startSinglePage(server),
    startPortal(server),
    openChromium(),
  ])
  return {
    server,
    library,
    ada,
    singlePage,
    portal,
    browser,
    async close() {
      await browser.close()
      await singlePage.example.stop()
      await portal.example.stop()
      await server.stop()
    },
  }
}
export type SignInSite = Awaited<ReturnType<typeof openSignInSite>>

/** Opens a fresh profile and collects its requests. */
export const openProfile = async (browser: Browser, singlePage: RunningExample) => {
  const context = await browser.newContext()
  context.setDefaultTimeout(stepMsMax)
  const page = await context.newPage()
  const requests: Request[] = []
  context.on('request', request => requests.push(request))
  return { context, page, requests, finder: driveFinder(page, singlePage) }
}
export type Profile = Awaited<ReturnType<typeof openProfile>>
