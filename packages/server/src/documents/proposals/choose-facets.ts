/** Proposes which fields people choose from: facets. */
import type { ProposedField } from '@querent/contract/proposal'
import type { Column } from './describe-column.ts'
import { isAboutPage, isContact, isCount, isIdName, rankChoiceName, rankMeasureName } from './rank-names.ts'

/** Whole numbers with few values are chosen from, others are narrowed by ranges. */
const facetNumbersMax = 12
const kindsMax = 30
const yearsMax = 150
/** A search page has room for these. People add others with a click. */
const facetsMax = 8
const fewFacets = 3
/** A facet of fewer documents, or of values that are nearly all the same, is of no use. */
const scoreMin = 0.1

interface Candidate {
  column: Column
  field: ProposedField
}

/** Marks the best facets. */
export const chooseFacets = (candidates: readonly Candidate[], documents: number): void => {
  const scored = candidates
    .map(({ column, field }) => ({ column, field, score: scoreFacet(column, field, documents) }))
    .filter(({ score }) => score > -scoreMin)
    .toSorted((one, next) => next.score - one.score)
  const different = scored.filter(
    ({ column }) =>
      !scored.some(other => isSaidBetter(column, other.column) && isSameDivision(column, other.column)),
  )
  const good = different.filter(({ score }) => score > 0)
  // Some documents stand out, where there is nothing better to choose from.
  for (const { field } of different.slice(0, Math.max(fewFacets, Math.min(good.length, facetsMax))))
    field.facet = true
}

/** Whether two columns divide the documents in the same way, as a code and its name do. */
const isSameDivision = (one: Column, next: Column): boolean => one.division === next.division

const isSaidBetter = (column: Column, other: Column): boolean => {
  const clarity = ({ name, wordShare, meanCharacters }: Column) =>
    (wordShare > 0.5 ? 2 : 0) + (isIdName(name) ? 0 : 1) + Math.min(meanCharacters, 40) / 100
  return column !== other && clarity(other) > clarity(column)
}

const scoreFacet = (column: Column, field: ProposedField, documents: number): number => {
  const { distinct, values, present } = column
  if (isContact(column.name) || isAboutPage(column.name) || column.isPicture) return -scoreMin
  const isFew =
    field.type === 'boolean' ||
    field.type === 'keyword' ||
    (field.type === 'number' && (isSmallNumber(column) || isKind(column) || isYear(column)))
  if (!isFew || distinct.size < 2 || values === 0) return -scoreMin
  const largestShare = Math.max(...distinct.values()) / values
  // Almost all documents would stay, or the list is long.
  const spread = 1 - largestShare ** 6
  const length = distinct.size <= 30 ? 1 : 0.7
  // Many documents are worth choosing from, also if most others have no value.
  const coverage = Math.max(present / documents, present >= coveredMin ? 0.3 : 0)
  const score = coverage * spread * (length + rankChoiceName(column.name) * 0.5)
  return score - scoreMin - (field.type === 'number' ? numberPenalty(column) : 0)
}

/** Number of documents of the sample. */
const coveredMin = 100

/** Words are chosen from rather than numbers, and numbers rather than signs such as 0 and 1. */
const numberPenalty = (column: Column): number => {
  if (column.distinct.size === 2) return 0.5
  return isYear(column) || (isKind(column) && rankChoiceName(column.name) === 0) ? 0.4 : 0.1
}

/** Whether numbers name the kind of a document, such as `type_id`. */
const isKind = ({ name, distinct, present }: Column): boolean =>
  isIdName(name) &&
  distinct.size <= kindsMax &&
  present > 10 * distinct.size &&
  [...distinct.keys()].every(text => /^\d{1,6}$/.test(text))

/** Whether numbers are years, seasons or the like of many documents. */
const isYear = ({ name, distinct, present }: Column): boolean =>
  /year|jahr|jaar|année|annee|season/i.test(name) &&
  distinct.size <= yearsMax &&
  present > 4 * distinct.size &&
  [...distinct.keys()].every(text => /^(?:1\d|20)\d\d$/.test(text))

/** Whether whole numbers have few values. */
export const isSmallNumber = ({ name, distinct, present }: Column): boolean =>
  distinct.size <= facetNumbersMax &&
  present > 4 * distinct.size &&
  rankMeasureName(name) > 0 &&
  !isCount(name) &&
  [...distinct.keys()].every(text => /^-?\d{1,4}$/.test(text))
