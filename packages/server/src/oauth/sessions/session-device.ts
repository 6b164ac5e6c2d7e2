/** With what and from where a person signed in, to tell their sessions apart. */
import type { IncomingMessage } from 'node:http'
import bowser from 'bowser'
import type { SessionOpening } from '#storage/sessions'

/** Those of browsers are shorter; no more is looked at of what others may send. */
const userAgentCharactersMax = 512
const nameCharactersMax = 60

const joinName = (...parts: (string | undefined)[]): string | null =>
  parts.filter(Boolean).join(' ').slice(0, nameCharactersMax) || null

/**
 * Browser and system by the names that they go by, from `User-Agent` (RFC 9110, section 10.1.5); null where it says nothing known.
 * The system's version is left out: browsers no longer tell it, and say an old one.
 */
export const describeDevice = (request: IncomingMessage, address: string): SessionOpening => {
  const { browser, os } = bowser.parse(
    // The library takes no empty text.
    (request.headers['user-agent'] || '-').slice(0, userAgentCharactersMax),
  )
  const [version] = (browser.version ?? '').split('.')
  return {
    browser: browser.name ? joinName(browser.name, version) : null,
    system: joinName(os.name),
    address,
  }
}
