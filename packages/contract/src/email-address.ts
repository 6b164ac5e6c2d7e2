/**
 * The one form of an email address, in which Querent stores and compares it, and the form that people read.
 *
 * - The domain is in A-labels (UTS 46, RFC 5891): `info@bücher.example` is `info@xn--bcher-kva.example`. Browsers send it so from
 *   `<input type=email>`.
 * - The local part is in NFC (RFC 6532, section 3.1) and in lower case by {@link lowerCase}.
 */
// The library has no types.
/// <reference path="./punycode-js.d.ts" />
import punycode from 'punycode.js'

/** Longest address and local part in octets (RFC 5321, section 4.5.3.1). */
const emailOctetsMax = 254
const localOctetsMax = 64
const domainOctetsMax = 253
/** Longest text that is looked at: the Unicode form of an address, decomposed. */
const textCharactersMax = 1000

/** Returns the only form of an address. A text that is no address comes back trimmed, in NFC and in lower case. Idempotent. */
export const canonicalEmail = (text: string): string => {
  const trimmed = text.trim()
  if (isPlainAscii(trimmed)) return trimmed.toLowerCase()
  if (trimmed.length > textCharactersMax) return lowerCase(trimmed)
  const separator = trimmed.lastIndexOf('@')
  const domain = separator < 0 ? undefined : canonicalDomain(trimmed.slice(separator + 1))
  if (domain === undefined) return canonicalText(trimmed)
  return `${canonicalText(trimmed.slice(0, separator))}@${domain}`
}

/** Returns the addresses as they are written, each person's once: `MARIA@example.org` is `maria@example.org`. */
export const distinctEmails = (addresses: readonly string[]): string[] =>
  [...Map.groupBy(addresses, canonicalEmail).values()].flatMap(equal => equal.slice(0, 1))

/** Whether the text is ASCII without A-labels, so that only its case can differ. */
const isPlainAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text) && !/xn--/i.test(text)

const canonicalText = (text: string): string =>
  turnsAscii.test(text) ? lowerCase(text) : lowerCase(text.normalize('NFC')).normalize('NFC')

/**
 * The characters that NFC makes ASCII: Kelvin sign (K), Greek question mark and varia. An address with one is not that of the person with a K,
 * so such texts stay as they are, and are no addresses.
 */
const turnsAscii = /[\u212a\u037e\u1fef]/

/** Capital letters with the small letter of another one: I with a dot (i), Kelvin sign (k), theta symbol (θ). They stay as they are. */
const lettersOfTheirOwn = new Set(['\u{130}', '\u{212a}', '\u{3f4}'])

/**
 * Maps each character by itself (simple mapping of Unicode, section 3.13): no two letters become equal, and none becomes several. Full
 * mappings and case folding would make `ß` of `ss`, `i` of `ı` and `σ` of `ς`.
 */
const lowerCase = (text: string): string =>
  Array.from(text, character => {
    const small = character.toLowerCase()
    return lettersOfTheirOwn.has(character) || [...small].length !== 1 ? character : small
  }).join('')

const asciiDomain = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/**
 * Returns the domain in A-labels and lower case; undefined if it is none. `URL` is the UTS 46 processor of browsers and Node.js (nontransitional,
 * as the URL Standard says). It also reads ports, percent-encoding and IPv4 addresses, which are no domains here.
 */
export const canonicalDomain = (text: string): string | undefined => {
  if (text.length > textCharactersMax || /[\0-,/:-@[-`{-\x7f]/.test(text)) return undefined
  const domain = /^[\0-\x7f]*$/.test(text) ? text.toLowerCase() : toAscii(text)
  if (domain === undefined || domain.length > domainOctetsMax || !asciiDomain.test(domain)) return undefined
  // IPv4 addresses, which the URL Standard also reads from forms such as 127.1.
  if (/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(domain)) return undefined
  // Node.js doesn't decode the labels of ASCII domains: xn--example has no Unicode form.
  return !domain.includes('xn--') || toAscii(toUnicode(domain) ?? '') === domain ? domain : undefined
}

const toAscii = (text: string): string | undefined => URL.parse(`http://${text}/`)?.hostname

/** Undefined if an A-label cannot be decoded. */
const toUnicode = (domain: string): string | undefined => {
  try {
    return punycode.toUnicode(domain)
  } catch {
    return undefined
  }
}

/** Whether a new address has this form, in any spelling: local part in dot-atoms of at most 64 octets, domain by {@link canonicalDomain}. */
export const isEmail = (text: string): boolean => {
  const email = canonicalEmail(text)
  const separator = email.lastIndexOf('@')
  const local = email.slice(0, Math.max(separator, 0))
  return (
    /^[^\s.@\p{C}]+(?:\.[^\s.@\p{C}]+)*$/u.test(local) &&
    !turnsAscii.test(local) &&
    countOctets(local) <= localOctetsMax &&
    countOctets(email) <= emailOctetsMax &&
    canonicalDomain(email.slice(separator + 1)) !== undefined
  )
}

const encoder = new TextEncoder()
const countOctets = (text: string): number => encoder.encode(text).length

/** Returns an address as people read it. Labels that look like others stay A-labels. */
export const displayEmail = (email: string): string => {
  const separator = email.lastIndexOf('@')
  return `${email.slice(0, separator + 1)}${displayDomain(email.slice(separator + 1))}`
}

/** Returns a domain in Unicode, except labels that could be mistaken for others (UTS 39). */
export const displayDomain = (domain: string): string => {
  if (!domain.includes('xn--') || canonicalDomain(domain) !== domain) return domain
  const labels = domain.split('.')
  const isAsciiZone = !labels.at(-1)?.startsWith('xn--')
  return labels
    .map(label => {
      const unicodeLabel = toUnicode(label) ?? label
      return unicodeLabel !== label && isDistinct(unicodeLabel, isAsciiZone) ? unicodeLabel : label
    })
    .join('.')
}

/** Scripts that one label may have together (UTS 39, section 5.2, highly restrictive). Common and Inherited go with each. */
const scriptSets: readonly RegExp[] = [
  // Letters of European and Vietnamese alphabets: without phonetic ones, which look like others.
  /^[a-z0-9\u00df-\u00f6\u00f8-\u017e\u0180-\u01bf\u01cd-\u024f\u1e00-\u1eff·'-]+$/u,
  /^[a-z\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{N}-]+$/u,
  /^[a-z\p{scx=Han}\p{scx=Bopomofo}\p{N}-]+$/u,
  /^[a-z\p{scx=Han}\p{scx=Hangul}\p{N}-]+$/u,
]

/** Whole labels of these could be words in ASCII: `аррӏе` is Cyrillic, `οοο` Greek. */
const asciiLookalikes = /^[асԁеһіјӏорԛѕԝхуъьҽпгѵѡαικνορυω0-9-]+$/u

const isDistinct = (label: string, isAsciiZone: boolean): boolean => {
  // Joiners are invisible. Marks that did not compose may hide on letters that have none.
  if (/[\u200c\u200d]|[a-z]\p{M}|\p{M}{3}/u.test(label)) return false
  if (isAsciiZone && asciiLookalikes.test(label)) return false
  return scriptSets.some(set => set.test(label)) || hasSingleScript(label)
}

/** Scripts that live languages use (UAX 31, table 5, recommended scripts), besides Latin. */
const scripts = [
  'Arabic',
  'Armenian',
  'Bengali',
  'Bopomofo',
  'Cyrillic',
  'Devanagari',
  'Ethiopic',
  'Georgian',
  'Greek',
  'Gujarati',
  'Gurmukhi',
  'Hangul',
  'Han',
  'Hebrew',
  'Hiragana',
  'Kannada',
  'Katakana',
  'Khmer',
  'Lao',
  'Malayalam',
  'Myanmar',
  'Oriya',
  'Sinhala',
  'Tamil',
  'Telugu',
  'Thaana',
  'Thai',
  'Tibetan',
].map(script => new RegExp(`^[\\p{scx=${script}}\\p{scx=Inherited}0-9-]+$`, 'u'))

const hasSingleScript = (label: string): boolean => scripts.some(script => script.test(label))
