/**
 * Known devices of a person, identified by a cookie. They are exempt from the account's throttle, so that
 * nobody can lock the owner out by guessing (OWASP Authentication Cheat Sheet, "Device cookies").
 * A cookie entry is `device~issued~mac`. Its key derives from the password hash, which contains 128 bits of
 * salt: entries cannot be forged, and a new password invalidates them.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cookies } from '#oauth/library/cookies'
import { isSameText } from './forgery.ts'

/** A person whose password can be checked. */
export interface PasswordHolder {
  id: string
  password_hash: string
}

export interface Devices {
  /** Returns the id of this device if `person` signed in on it before. */
  find(request: IncomingMessage, person: PasswordHolder): string | undefined
  /** Marks the device as known. */
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

/** Returns the device of an entry if it belongs to this person. */
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
