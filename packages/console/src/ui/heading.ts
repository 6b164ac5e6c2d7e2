/** Heading of a document, read from its own fields (docs/console.md, Reading results). */
import type { Entity } from '@querent/contract/query'
import {
  isAmount,
  isForeignTitle,
  isLikelyForeignTitle,
  isTextByLanguage,
} from '@querent/contract/title-names'
import { toTitle } from '@querent/contract/titles'
import { plainText } from './plain-text.ts'
import { spreadContainers, withoutContainer } from './spread-containers.ts'

export interface Heading {
  /** Where the text stands; undefined: nowhere, it is made from a handle, or the URI. */
  field: string | undefined
  text: string
}

/** Fields that name a document, the first one wins. */
const titles = ['title', 'name', 'label', 'preflabel', 'headline', 'caption']
/** Fields that name it if none of those does and their text is short. */
const furtherTitles = ['summary', 'subject', 'betreff', 'onderwerp', 'message', 'msg']
/** Parts of an object that name a document, the first one wins. */
const nestedKeys = [
  '@value',
  'common',
  'full',
  'default',
  'en',
  'official',
  'title',
  'name',
  'label',
  'rendered',
]
/** A longer text describes rather than names. */
const charactersMax = 80

/**
 * A field named title, name, label, prefLabel, headline or caption, or such a name in another language, also before other words, in any case, or a text in an object of this name, also as the end of a URI (`https://schema.org/name`)
 * or after a prefix (`dc:title`), or in an object that holds all fields (`fields.title`); else a short summary, subject or message; else the words of a handle or slug; else the first short text that is neither an id that is a code, a date, a URI, a number nor a sum of money; else the URI.
 */
export const readHeading = ({ id, attributes: whole }: Pick<Entity, 'id' | 'attributes'>): Heading => {
  const attributes = spreadContainers(whole)
  const texts = Object.keys(attributes).flatMap(field => readFieldText(attributes, field) ?? [])
  return (
    readTitle(attributes, titles) ??
    readForeignTitle(attributes, isForeignTitle) ??
    readForeignTitle(attributes, isLikelyForeignTitle) ??
    readFurtherTitle(attributes) ??
    readVariant({ id, attributes }) ??
    texts.find(({ text }) => isShortName(text) && !isAmount(text) && (isWords(text) || !isId(text, id))) ?? {
      field: undefined,
      text: id,
    }
  )
}

/** Returns the text of a field, or its first one if it has a text for each language. */
const readFieldText = (
  attributes: Entity['attributes'],
  field: string,
): (Heading & { field: string }) | undefined => {
  const value = attributes[field]
  if (isTextByLanguage(value)) return readNestedText(attributes, field)
  const text = firstText(value)
  return text === undefined ? undefined : { field, text: plainText(text) }
}

const readForeignTitle = (
  attributes: Entity['attributes'],
  isTitle: (name: string) => boolean,
): Heading | undefined => {
  for (const field of Object.keys(attributes)) {
    const heading = isTitle(lastPart(field) ?? '') ? readNestedText(attributes, field) : undefined
    if (heading) return heading
  }
  return undefined
}

/** A name in an address, such as the handle of a product. */
const slugs = ['handle', 'slug']
/** Fields that tell the variants of a product apart, in exports of Shopify. */
const optionField = /^option ?[123] value$/i

/** The words of a handle with the options of the variant: in exports of Shopify, only the first row of a product has its title. */
const readVariant = ({ id, attributes }: Pick<Entity, 'id' | 'attributes'>): Heading | undefined => {
  const entries = Object.entries(attributes)
  const readSlug = (slug: string) => entries.find(([field]) => lastPart(field) === slug)?.[1]
  const slug = slugs.map(name => firstText(readSlug(name))).find(text => text !== undefined)
  if (slug === undefined || !isShortName(slug) || isId(slug, id)) return undefined
  const options = entries.flatMap(([field, value]) =>
    optionField.test(field) ? (firstText(value) ?? []) : [],
  )
  return { field: undefined, text: [toTitle(slug), ...options].join(' · ') }
}

const readFurtherTitle = (attributes: Entity['attributes']): Heading | undefined => {
  const heading = readTitle(attributes, furtherTitles)
  return heading && isShortName(heading.text) ? heading : undefined
}

const readTitle = (attributes: Entity['attributes'], names: readonly string[]): Heading | undefined => {
  const fields = Object.keys(attributes)
  for (const field of names.flatMap(title => fields.filter(name => lastPart(name) === title))) {
    const heading = readNestedText(attributes, field)
    if (heading) return heading
  }
  return undefined
}

/** Returns the text of a field, or of an object in it. */
const readNestedText = (
  attributes: Entity['attributes'],
  field: string,
): (Heading & { field: string }) | undefined => {
  // JSON-LD may have one for each language: the first counts.
  const [value]: readonly unknown[] = [attributes[field]].flat()
  const key = readNestedKey(value)
  const text = firstText(key === undefined ? attributes[field] : Object(value)[key])
  return text === undefined
    ? undefined
    : { field: key === undefined ? field : `${field}.${key}`, text: plainText(text) }
}

/** The key of a name that is an object, such as `{ en: "Rome", it: "Roma" }`. A proposal takes the same one. */
const readNestedKey = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  const keys = Object.keys(value).filter(key => firstText(Object(value)[key]) !== undefined)
  // `@language` of JSON-LD names nothing.
  return nestedKeys.find(key => keys.includes(key)) ?? keys.find(key => !key.startsWith('@'))
}

const firstText = (value: unknown): string | undefined =>
  [value].flat().find((item): item is string => typeof item === 'string' && item.trim() !== '')

/**
 * Whether the text is the id, or stands in the URI for it, before an ending such as `.html` too. An order number says less than the customer's
 * name. The server writes `A-2/B` with its slash in a URI (`encodeURI`), and others write `%2F`.
 */
const isId = (text: string, id: string): boolean =>
  id === text ||
  [encodeURI, encodeURIComponent].some(encode => {
    const [, ending] = text.isWellFormed() ? splitAtLast(id, encode(text)) : []
    return ending !== undefined && idEnding.test(ending)
  })

const idEnding = /^(?:\/|\.[a-z]{2,5})?$/

/** Returns what precedes and follows the last occurrence that begins a part of the URI. */
const splitAtLast = (uri: string, part: string): string[] => {
  const start = uri.lastIndexOf(part)
  const base = uri.slice(0, Math.max(start, 0))
  return part !== '' && /[:/#=?]$/.test(base) ? [base, uri.slice(start + part.length)] : []
}

/** Words, or one with a capital, name a document even where they are its id. Codes such as `ORD 7` or `blue-mug` do not. */
const isWords = (text: string): boolean =>
  (/\s/.test(text) && /\p{Ll}{3}/u.test(text)) || /^\p{Lu}\p{Ll}{2,}$/u.test(text)

const lastPart = (field: string): string | undefined =>
  withoutContainer(field).split(/[/#:]/).at(-1)?.toLowerCase()

const isShortName = (text: string): boolean =>
  text.length <= charactersMax && !/^\d{4}-\d\d(-\d\d|$)/.test(text) && !/^[a-z][a-z0-9+.-]*:\S+$/i.test(text)
