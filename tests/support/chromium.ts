/** Debian's Chromium for black-box tests, with a fresh profile. */
import { type Browser, chromium } from 'playwright-core'

/** Path of Debian's Chromium. `CHROMIUM` overrides it. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const openChromium = (): Promise<Browser> => chromium.launch({ executablePath, args })

/** Timeout for each step of a page. Steps that take a second alone take long next to other tests. */
export const stepMsMax = 90_000
