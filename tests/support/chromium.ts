/** Debian's Chromium for black-box tests. Each context is a fresh profile. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { patienceMs } from '#server/test-wait'

/** Debian's Chromium without windows, which needs a quarter less processor time. */
const headlessPath = '/usr/bin/chromium-headless-shell'
/** Path of Debian's Chromium. `CHROMIUM` overrides it. */
const executablePath = process.env.CHROMIUM ?? (existsSync(headlessPath) ? headlessPath : '/usr/bin/chromium')

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-software-rasterizer',
  '--force-prefers-reduced-motion',
]

/** Address of the browser of the run. */
const variable = 'QUERENT_TEST_CHROMIUM'

/** Connects to the browser of the run. A test file run alone starts its own. */
export const openChromium = (): Promise<Browser> => {
  const address = process.env[variable]
  return address === undefined ? openOwnChromium() : chromium.connect(address)
}

/** Starts a browser for tests that read the clipboard, which all contexts of a browser share. */
export const openOwnChromium = (): Promise<Browser> => chromium.launch({ executablePath, args })

/** Starts the browser of a whole run, for the processes that this one starts. Returns a function that closes it. */
export const shareChromium = async (): Promise<() => Promise<void>> => {
  const server = await chromium.launchServer({ executablePath, args })
  process.env[variable] = server.wsEndpoint()
  return () => server.close()
}

/** Timeout for each step of a page. */
export const stepMsMax = patienceMs
