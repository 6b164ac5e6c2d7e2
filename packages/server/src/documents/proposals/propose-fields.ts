/** Proposes what the fields of a collection are for: title, texts, facets, ranges and sorts. */
import { isLatitudeFirst } from '@querent/contract/geo-value'
import { shortenValue } from '@querent/contract/html-text'
import { isCode, type ProposedField, titleWeight } from '@querent/contract/proposal'
import { isAmount } from '@querent/contract/title-names'
import { chooseFacets, isSmallNumber } from './choose-facets.ts'
import type { Column } from './describe-column.ts'
import {
  isAboutOther,
  isIdName,
  isNameOfThing,
  rankChoiceName,
  rankMeasureName,
  rankTieName,
  rankTitleName,
} from './rank-names.ts'
import { adjustShopifyFields, isShopifyExport } from './shopify-export.ts'

const examplesMax = 3
const exampleCharacters = 80

/** A field with more different values is for reading, not for choosing from. */
const facetValuesMax = 200
/** People choose from longer lists by such a name: there are 250 countries. */
const namedFacetValuesMax = 300
const facetValuesShare = 0.3
/** Values of a facet are short. */
const facetWordsMax = 4
const facetCharactersMax = 60
const titleWordsMax = 15
/** People choose from fewer codes. */
const searchedCodesMin = 20
/** A longer id is for programs. */
const typedIdCharactersMax = 24
/** Limits of what a search page has room for. People add others with a click. */
const rangesMax = 3
const sortsMax = 3

interface Candidate {
  column: Column
  field: ProposedField
}

/** Returns a field for each column. `places`: names of the columns that are part of a place. */
export const proposeFields = (
  columns: readonly Column[],
  documents: number,
  {
    collection,
    idField,
    places,
  }: { collection: string; idField: string | undefined; places: ReadonlySet<string> },
): ProposedField[] => {
  const candidates = columns.map(column => ({ column, field: makeField(column, documents) }))
  for (const { column, field } of candidates) {
    if (places.has(field.name)) field.use = false
    // People look up short ids, such as those of airports.
    if (field.name === idField) field.use = isLookedUp(column)
    if (field.name === idField && field.use) field.type = 'text'
  }
  leaveOutAddresses(candidates.filter(({ field }) => field.name !== idField))
  const usable = candidates.filter(({ field }) => field.use && field.name !== idField)
  const nameCandidates = candidates.filter(candidate => candidate.field.name === idField && isName(candidate))
  chooseTitle(
    candidates.filter(candidate => usable.includes(candidate) || nameCandidates.includes(candidate)),
    collection,
    documents,
  )
  chooseFacets(usable, documents)
  chooseMeasures(usable, documents)
  chooseTieBreaker(usable)
  if (isShopifyExport(columns.map(({ name }) => name)))
    adjustShopifyFields(candidates.map(({ field }) => field))
  return candidates.map(({ field }) => field)
}

/** Searches of words find all documents by what their addresses share. Addresses are texts only if there is no other text. */
const leaveOutAddresses = (candidates: readonly Candidate[]): void => {
  const texts = candidates.filter(({ field }) => field.type === 'text' && field.use)
  const addresses = texts.filter(({ column }) =>
    [...column.distinct.keys()].every(text => /^\s*https?:\/\/\S+\s*$/i.test(text)),
  )
  if (addresses.length === texts.length) return
  for (const { field } of addresses) Object.assign(field, { type: 'keyword', use: false })
}

const makeField = (column: Column, documents: number): ProposedField => {
  const {
    name,
    present,
    distinct,
    values,
    fits,
    formats,
    decimal,
    pairs,
    listSeparator,
    listSeparators,
    isPicture,
  } = column
  const isText = column.type === 'keyword' && !isPicture && (present === 0 || !isChoice(column, documents))
  const type = isText ? 'text' : column.type
  return {
    name,
    type,
    // A list of parts of something means nothing by itself.
    use:
      type !== 'object' &&
      present > 0 &&
      // Only a field has a separator.
      (!isPicture || listSeparator !== undefined) &&
      !(type === 'number' && isLatitudeFirst(name)),
    weight: 1,
    search: type === 'keyword' && !isPicture && isWorthSearching(column),
    facet: false,
    range: type === 'geo',
    sort: type === 'geo',
    breaksTies: false,
    ...(formats ? { formats } : {}),
    ...(decimal ? { decimal } : {}),
    ...(pairs ? { pairs } : {}),
    ...(listSeparator === undefined ? {} : { listSeparator }),
    listSeparators,
    present,
    distinct: distinct.size,
    examples: [...distinct.keys()].slice(0, examplesMax).map(text => shortenValue(text, exampleCharacters)),
    values,
    fits,
  }
}

const isChoice = ({ name, distinct, meanWords, meanCharacters }: Column, documents: number): boolean =>
  distinct.size <=
    Math.min(
      rankChoiceName(name) > 0 ? namedFacetValuesMax : facetValuesMax,
      Math.max(2, facetValuesShare * documents),
    ) &&
  meanWords <= facetWordsMax &&
  meanCharacters <= facetCharactersMax

/** People type parts of longer phrases, such as messages, however few different ones there are. */
const phraseWordsMin = 2

/** Shorter values are letters. */
const shortNameCharactersMin = 2

/** Two values with as many characters are names, and no signs such as yes and no. */
const namesCharactersMin = 6

/** Values with words, and many different codes, are found by typing too; letters such as M and F are not. */
const isWorthSearching = ({ name, distinct, wordShare, meanCharacters, meanWords }: Column): boolean => {
  // Names may be as short as Bo.
  if (
    wordShare > 0.5 &&
    (meanCharacters >= 3 || (isNameOfThing(name) && meanCharacters >= shortNameCharactersMin))
  )
    return (
      distinct.size > 2 ||
      isNameOfThing(name) ||
      meanWords >= phraseWordsMin ||
      (distinct.size === 2 && meanCharacters >= namesCharactersMin)
    )
  return distinct.size > searchedCodesMin && hasLetters({ distinct })
}

const hasLetters = ({ distinct }: Pick<Column, 'distinct'>): boolean =>
  [...distinct.keys()].filter(text => /\p{L}/u.test(text)).length > 0.5 * distinct.size

/** Ids that people read and type. */
const isLookedUp = ({ name, type, meanCharacters, wordShare, distinct }: Column): boolean =>
  type === 'keyword' &&
  (wordShare > 0.5 ||
    meanCharacters <=
      (name === keyAttribute || isMadeOfWords(distinct) ? facetCharactersMax : typedIdCharactersMax)) &&
  ![...distinct.keys()].every(text => /^[0-9a-f-]{16,}$/i.test(text))

/** Whether most characters are letters, as in media types and names of hosts. Addresses of pages are for programs. */
const isMadeOfWords = (distinct: ReadonlyMap<string, number>): boolean => {
  const texts = [...distinct.keys()].slice(0, 200)
  const letters = texts.join('').replace(/[^\p{L}]/gu, '').length
  return letters > 0.7 * texts.join('').length && !texts.some(text => /^https?:/.test(text))
}

/** Shorter ids are codes. */
const nameCharactersMin = 4
/** The name of a document in an object of documents. */
const keyAttribute = 'key'
/** A plain value that is a document. */
const valueAttribute = 'value'

/** Whether an id is the name of its document, which people know and read. */
const isName = ({ column, field }: Candidate): boolean =>
  field.use &&
  column.meanCharacters >= nameCharactersMin &&
  (field.name === keyAttribute
    ? hasLetters(column)
    : column.wordShare > 0.5 && !isIdName(field.name) && !haveFew(column, text => !isCode(text)))

/** A title that fewer documents have is something else. */
const titleShareMin = 0.5

/** Gives the title more weight than the other texts: a field with such a name, otherwise the first short text with words. */
const chooseTitle = (candidates: readonly Candidate[], collection: string, documents: number): void => {
  const ranked = candidates
    .filter(
      ({ column }) =>
        column.type === 'keyword' &&
        column.meanWords <= titleWordsMax &&
        column.present >= titleShareMin * documents &&
        isVaried(column),
    )
    .flatMap(candidate => {
      const rank = rankTitleName(candidate.field.name, collection)
      return rank === undefined ? [] : [{ ...candidate, rank: rank + varietyRank(candidate) }]
    })
    .toSorted((one, next) => one.rank - next.rank)
  const texts = candidates.filter(({ field }) => field.type === 'text')
  const shortTexts = texts
    .filter(({ column }) => column.meanWords <= titleWordsMax && column.wordShare > 0.5)
    .map(candidate => ({ ...candidate, rank: rankTitleText(candidate.column, documents) }))
    .toSorted((one, next) => one.rank - next.rank)
  const title = ranked[0] ?? findKeyTitle(texts) ?? shortTexts[0] ?? findSearchable(candidates)
  if (title) {
    title.field.type = 'text'
    title.field.search = false
    title.field.weight = titleWeight
    title.field.sort = !title.column.isList
  } else ensureText(candidates)
}

/** Returns how well a text fits a title, whatever its name is: 0 is the best. Codes, lists, and texts that few documents have are worse. */
const rankTitleText = ({ name, distinct, isList, present }: Column, documents: number): number => {
  return (
    (haveFew({ distinct }, text => !isCode(text) && !isAmount(text)) || isAboutOther(name) ? 4 : 0) +
    (present < titleShareMin * documents ? 2 : 0) +
    (isList ? 1 : 0)
  )
}

/** Whether at most half of the different values are such texts. */
const haveFew = ({ distinct }: Pick<Column, 'distinct'>, isSuch: (text: string) => boolean): boolean =>
  [...distinct.keys()].filter(isSuch).length < 0.5 * distinct.size

/** The key of a document is its name, unless there is nothing but a value. */
const findKeyTitle = (texts: readonly Candidate[]): Candidate | undefined => {
  const key = texts.find(({ field }) => field.name === keyAttribute)
  const value = texts.find(
    ({ field, column }) => field.name === valueAttribute && column.wordShare > 0.5 && !column.isList,
  )
  return key && (value ?? key)
}

/** A name that many documents share says what kind they are. */
const isVaried = ({ distinct, present }: Column): boolean => distinct.size > Math.min(20, 0.02 * present)

/** Names with few different values name groups of documents rather than the documents. */
const varietyRank = ({ column }: Candidate): number => (column.distinct.size > 0.3 * column.present ? 0 : 15)

/** Without a text, the keyword with the most words is the title if its values differ. */
const findSearchable = (candidates: readonly Candidate[]): Candidate | undefined =>
  candidates.find(
    ({ column }) =>
      column.type === 'keyword' && column.wordShare > 0.5 && column.distinct.size > 0.5 * column.present,
  )

/** People can type something wherever there is any text. */
const ensureText = (candidates: readonly Candidate[]): void => {
  const keywords = candidates.filter(({ field }) => field.type === 'keyword')
  if (candidates.some(({ field }) => field.type === 'text') || keywords.some(({ field }) => field.search))
    return
  const [best] = keywords.toSorted((one, next) => next.column.distinct.size - one.column.distinct.size)
  if (best) best.field.search = true
}

const chooseMeasures = (candidates: readonly Candidate[], documents: number): void => {
  const scored = candidates
    .filter(
      ({ column, field }) =>
        (field.type === 'number' || field.type === 'date') &&
        !column.isList &&
        column.distinct.size > 2 &&
        !(field.type === 'number' && isSmallNumber(column) && !/rating|score|stars/i.test(field.name)),
    )
    .map(({ column, field }) => ({ field, score: scoreMeasure(column, field, documents) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, next) => next.score - one.score)
  for (const { field } of scored.slice(0, rangesMax)) field.range = true
  for (const { field } of scored.slice(0, sortsMax)) field.sort = true
}

/** One number that says how popular things are. Numbers below 0 measure something else. */
const chooseTieBreaker = (candidates: readonly Candidate[]): void => {
  const [best] = candidates
    .filter(
      ({ column, field }) =>
        field.type === 'number' &&
        !column.isList &&
        column.distinct.size > 2 &&
        ![...column.distinct.keys()].some(text => text.startsWith('-')),
    )
    .flatMap(({ field }) => {
      const rank = rankTieName(field.name)
      return rank === undefined ? [] : [{ field, rank }]
    })
    .toSorted((one, next) => one.rank - next.rank)
  if (best) best.field.breaksTies = true
}

const scoreMeasure = (
  { name, present, distinct }: Column,
  { type }: ProposedField,
  documents: number,
): number => {
  const rank = rankMeasureName(name)
  if (type === 'number' && rank === 0) return 0
  // A date is the first thing to sort by, and numbers that differ say more.
  return present / documents + rank + (type === 'date' ? 1 : 0) + Math.min(distinct.size / 100, 1) * 0.2
}
