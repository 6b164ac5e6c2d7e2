/** Debian's Chromium for black-box tests, with a fresh profile. */
import { type Browser, chromium } from 'playwright-core'

/** Debian's; another by `CHROMIUM`. */
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

/** For each step of a page: what takes a second on a machine of its own takes long beside other tests. */
export const stepMsMax = 90_000
