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
