/** Ranks the names of attributes by what they say about their use. */
import { isForeignTitle, isLanguageKey, isLikelyForeignTitle } from '@querent/contract/title-names'

const idNames = ['id', '_id', 'objectid', 'uuid', 'guid', 'isbn', 'sku', 'key', 'code', 'slug', 'url', 'uri']
const titleNames = ['title', 'name', 'label', 'headline', 'subject', 'product']
/** Returns how well the name alone fits a title: 0 is the best, undefined for no title. */
const rankTitle = (name: string): number | undefined => {
  const position = titleNames.indexOf(name)
  if (position >= 0) return position
  return isForeignTitle(name) ? titleNames.length : undefined
}
/** Keys of an object that is a name. */
const titleKeys = ['common', 'full', 'default', 'en', 'official', 'title', 'name', 'label', 'rendered']

/** All languages but English are alike. */
const rankTitleKey = (key: string): number | undefined => {
  const position = titleKeys.indexOf(key)
  if (position >= 0) return position
  return isLanguageKey(key) ? titleKeys.length : undefined
}

export const lastStep = (path: string): string => path.slice(path.lastIndexOf('.') + 1)
const words = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)

const isCompoundId = (name: string): boolean =>
  /(^|[_.\s-])(id|key|code|nr|no|number|#)\.?$|[a-z]Id$/.test(name) ||
  /(^|[_.\s-])(id|key|code|nr|no|number)\.?$/i.test(name)

/** Numbers of packages: they change, and some things have none, so that a number of the owner is a better id. */
const tradeNumbers = ['ean', 'gtin', 'upc']

export const isIdName = (name: string): boolean =>
  [...idNames, ...tradeNumbers].includes(name.toLowerCase()) || isCompoundId(name)

/** Whether the values differ by chance: other documents may have the same, such as first names. */
export const isSharedName = (name: string): boolean =>
  /(first|last|given|family|middle|sur)[_.\s-]?name|address|street|birth|comment|note|descri|omschrijving|beschrijving|beschreibung|bemerkung|opmerking/i.test(
    name,
  )

/** Returns how well the name fits an id: 0 is the best. */
export const rankIdName = (name: string, isOneWord: boolean): number => {
  const position = idNames.indexOf(name.toLowerCase())
  if (position >= 0) return position
  if (isCompoundId(name)) return idNames.length
  return idNames.length + (tradeNumbers.includes(name.toLowerCase()) ? 1 : isOneWord ? 2 : 3)
}

/** Names of texts about a document rather than of it. */
export const isAboutOther = (path: string): boolean =>
  /tags?$|keywords?$|alias(es)?$|synonyms?$|author|date$|comments?$/i.test(lastStep(path))

/** Returns how well the path fits a title: 0 is the best, undefined for no title. `collection`: name of the file. */
export const rankTitleName = (path: string, collection: string): number | undefined => {
  const steps = path.toLowerCase().split('.')
  const [first = ''] = steps
  const rank = rankTitle(first)
  if (steps.length === 1 && rank !== undefined) return rank
  const key = rankTitleKey(steps.slice(1).join('.'))
  if (rank !== undefined && key !== undefined) return 10 + rank + key
  if (isAboutOther(path)) return undefined
  const nested = rankTitle(steps.at(-1) ?? '')
  const isProperty = ['properties', 'fields', 'attributes'].includes(first)
  if (isProperty && steps.length === 2 && nested !== undefined) return 20 + nested
  // The title of an issue in Jira.
  if (isProperty && steps.length === 2 && steps[1] === 'summary') return 20 + titleNames.length
  const parts = words(lastStep(path))
  const singular = (word: string) => word.replace(/(ie|e)?s$/, '')
  const isOfCollection = parts.some(
    part => part.length > 2 && words(collection).some(word => singular(word) === singular(part)),
  )
  if (steps.length === 1 && parts.some(part => ['name', 'title', 'label'].includes(part)))
    return isOfCollection ? 30 : 40
  if (steps.length === 1 && !isIdName(path) && isLikelyForeignTitle(path)) return 40
  return isOfCollection && steps.length === 1 && !isIdName(path) ? 50 : undefined
}

/** Whether people look for documents by such a name, however few there are in a sample. */
export const isNameOfThing = (path: string): boolean =>
  /name|title|label|species|product|author|artist|brand|director|city|town/i.test(lastStep(path))

/** Names of numbers and dates that people narrow and sort by. */
const firstMeasures = /price|rating|score|stars|date|year|votes|popul|released?|published|created/i
const measures =
  /cost|updated|count|amount|total|gross|revenue|budget|size|area|length|height|weight|duration|runtime|distance|elevation|magnitude|speed|horsepower|temperature|age|pages|stock|quantity/i
const codes = /(^|[_.\s-])(id|key|code|index|number|no|nr|row|zip|fips|hex)([_.\s-]|$)|[a-z](Id|Code|Key)$/i

/** Returns how well the name fits a measure, from 0 for codes to 3. */
export const rankMeasureName = (path: string): number => {
  const name = lastStep(path)
  if (codes.test(name)) return 0
  return firstMeasures.test(name) ? 3 : measures.test(name) ? 2 : 1
}

/** Names of numbers that say how many people want something, the best first. */
const popularity = [
  /popul|inhabitants|einwohner|inwoners/i,
  /votes|downloads|views|visits|plays|likes|followers|subscribers|stars|citations|clicks/i,
  /(num|count|number|total)[_.\s-]?(of[_.\s-]?)?(reviews|ratings)|(reviews|ratings)[_.\s-]?(num|count|total)/i,
  /sales|sold|gross|revenue|passengers/i,
]

/** Returns how well the name fits a number that breaks ties: 0 is the best, undefined for none. */
export const rankTieName = (path: string): number | undefined => {
  const name = lastStep(path)
  const rank = popularity.findIndex(pattern => pattern.test(name))
  return rank < 0 || /rank|growth|change|percent|share|density|[%]/i.test(name) ? undefined : rank
}

/** Whether numbers by such a path count what people did, also one kind of it, such as `votes.down`. They may be small in a sample. */
export const isCount = (path: string): boolean =>
  /(^|[_.\s-])(up|down)?(votes|downloads|views|visits|plays|(dis)?likes|followers|subscribers|citations|clicks|comments|shares|replies|reactions)([_.\s-]|$)/i.test(
    path.replace(/([a-z])([A-Z])/g, '$1_$2'),
  )

const choices =
  /type|kind|rarity|grade|edition|league|team|party|province|category|categor|class|genre|group|status|state|country|region|continent|brand|color|colour|language|tag|department|rating|gender|level|species|airline|operator|source|method|phase|effect|size|material|manufacturer|vendor|supplier/i

/** Returns how well the name fits a facet, 0 or 1. */
export const rankChoiceName = (path: string): number => (choices.test(lastStep(path)) ? 1 : 0)

/** Whether values by such a name reach somebody or something, and choose nothing. */
export const isContact = (path: string): boolean =>
  /phone|telephone|fax|e-?mail|website|url$|uri$/i.test(lastStep(path))

/** Whether values by such a name describe a page or its pictures for programs, rather than the document. */
export const isAboutPage = (path: string): boolean =>
  /^(seo|meta|og|twitter|image|img|picture|photo|google shopping)([_.\s:/-]|$)|alt[_.\s-]?text/i.test(
    lastStep(path),
  )
