/**
 * Devices that a person signed in on before, known by a cookie: they are exempt from the throttle of the account, so that nobody locks
 * its owner out by guessing (OWASP Authentication Cheat Sheet, "Device cookies").
 *
 * An entry of the cookie is `device~issued~mac`, under a key made of the person's password hash, which has 128 bits of salt in it: no
 * entry can be made up, and a new password ends those of the old one.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cookies } from './cookies.ts'
import { isSameText } from './same-text.ts'

/** A person whose password can be checked. */
export interface PasswordHolder {
  id: string
  password_hash: string
}

export interface Devices {
  /** Id of this device, if `person` signed in on it before. */
  find(request: IncomingMessage, person: PasswordHolder): string | undefined
  /** From now on it is known. */
  remember(request: IncomingMessage, response: ServerResponse, person: PasswordHolder): void
}

const cookieName = 'device'
const maxAgeSeconds = 180 * 24 * 60 * 60
/** People who share a browser. */
const entriesMax = 8

const computeMac = (person: PasswordHolder, device: string, issued: string): string =>
  createHmac('sha256', `device ${person.password_hash}`)
    .update(`${person.id} ${device} ${issued}`)
    .digest('base64url')

const nowSeconds = () => Math.floor(Date.now() / 1000)

/** The device that an entry names, when it is of this person. */
const readDevice = (entry: string, person: PasswordHolder): string | undefined => {
  const [device = '', issued = '', mac = ''] = entry.split('~')
  if (!(Number(issued) > nowSeconds() - maxAgeSeconds)) return undefined
  return isSameText(mac, computeMac(person, device, issued)) ? device : undefined
}

export const openDevices = (cookies: Cookies): Devices => {
  const readEntries = (request: IncomingMessage): string[] =>
    (cookies.read(request, cookieName) ?? '').split('.', entriesMax).filter(entry => entry !== '')
  return {
    find: (request, person) =>
      readEntries(request)
        .map(entry => readDevice(entry, person))
        .find(device => device !== undefined),
    remember(request, response, person) {
      const otherEntries = readEntries(request).filter(entry => readDevice(entry, person) === undefined)
      const device = randomBytes(12).toString('base64url')
      const issued = String(nowSeconds())
      const entry = [device, issued, computeMac(person, device, issued)].join('~')
      cookies.set(
        response,
        cookieName,
        [entry, ...otherEntries].slice(0, entriesMax).join('.'),
        maxAgeSeconds,
      )
    },
  }
}
