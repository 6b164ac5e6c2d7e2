/** Device and address of a sign-in, to tell sessions apart. */
import type { IncomingMessage } from 'node:http'
import bowser from 'bowser'
import type { SessionOpening } from '#storage/sessions'

/** Browsers send less; ignore the rest. */
const userAgentCharactersMax = 512
const nameCharactersMax = 60

const joinName = (...parts: (string | undefined)[]): string | null =>
  parts.filter(Boolean).join(' ').slice(0, nameCharactersMax) || null

/**
 * Returns names of browser and system from `User-Agent` (RFC 9110, section 10.1.5); null if unknown. Omits
 * the version of the system, which browsers no longer report correctly.
 */
export const describeAgent = (userAgent: string): Pick<SessionOpening, 'browser' | 'system'> => {
  const { browser, os } = bowser.parse(
    // The library rejects an empty text.
    (userAgent || '-').slice(0, userAgentCharactersMax),
  )
  const [version] = (browser.version ?? '').split('.')
  return {
    browser: browser.name ? joinName(browser.name, version) : null,
    system: joinName(os.name),
  }
}

export const describeDevice = (request: IncomingMessage, address: string): SessionOpening => ({
  ...describeAgent(request.headers['user-agent'] ?? ''),
  address,
})
