/** The first and last results of a text, while a person moves them. Documents are URIs. */
import { foldText } from '@querent/contract/curation-text'
import { type DocumentIds, documentIds } from '@querent/contract/document-id'
import type { Curation, WorkspaceFile } from '@querent/contract/workspace-file'

export interface CurationDraft {
  /** In their order, before all others. */
  pinned: readonly string[]
  /** By relevance. */
  ranked: readonly string[]
  /** After all others. */
  buried: readonly string[]
}

export interface CuratedQuery {
  endpoint: string
  parameter: string
  text: string
}

const isRuleFor =
  ({ endpoint, text }: CuratedQuery) =>
  (rule: Curation): boolean => {
    const [when] = Object.values(rule.when)
    return rule.endpoint === endpoint && when !== undefined && foldText(when) === foldText(text)
  }

/** Reads the rules of a text, with the results as they are now. */
export const readCuration = (
  rules: readonly Curation[],
  query: CuratedQuery,
  results: readonly string[],
  { toUri }: Pick<DocumentIds, 'toUri'>,
): CurationDraft => {
  const ownRules = rules.filter(isRuleFor(query))
  const listUris = (ids: readonly string[]) => [...new Set(ids.flatMap(id => toUri(id) ?? []))]
  const pinned = listUris(ownRules.flatMap(({ pin = [] }) => pin))
  // A document that is both pinned and buried is pinned.
  const buried = listUris(ownRules.flatMap(({ bury = [] }) => bury)).filter(uri => !pinned.includes(uri))
  return { pinned, ranked: results.filter(uri => ![...pinned, ...buried].includes(uri)), buried }
}

/** Returns all rules of the API with the draft in place of those of its text. Ids are short where the collection has a template. */
export const writeCuration = (
  rules: readonly Curation[],
  query: CuratedQuery,
  { pinned, buried }: CurationDraft,
  { toId }: Pick<DocumentIds, 'toId'>,
): Curation[] => {
  const isOwn = isRuleFor(query)
  const first = rules.find(isOwn)
  const rule: Curation = {
    when: first?.when ?? { [query.parameter]: query.text },
    endpoint: query.endpoint,
    ...(pinned.length > 0 && { pin: pinned.map(toId) }),
    ...(buried.length > 0 && { bury: buried.map(toId) }),
  }
  const isEmpty = pinned.length + buried.length === 0
  if (!first) return isEmpty ? [...rules] : [...rules, rule]
  return rules.flatMap(other => (other === first ? (isEmpty ? [] : [rule]) : isOwn(other) ? [] : [other]))
}

/**
 * Moves a row of the list: pinned, ranked, a line, buried. A ranked result that is moved is pinned, with all above it, so that the order stays.
 * A pinned one that is moved among the ranked is free again. Below the line, results are buried.
 */
export const moveRow = (draft: CurationDraft, from: number, target: number): CurationDraft => {
  const { pinned, ranked, buried } = draft
  const line = pinned.length + ranked.length
  const rows = [...pinned, ...ranked, undefined, ...buried]
  const moved = rows[from]
  if (moved === undefined || from === target) return draft
  const order = rows.toSpliced(from, 1).toSpliced(target, 0, moved)
  const lineAfter = order.indexOf(undefined)
  const upperRows = order.slice(0, lineAfter).filter(row => row !== undefined)
  const lowerRows = order.slice(lineAfter + 1).filter(row => row !== undefined)
  const wasPinned = from < pinned.length
  const isAbove = target < lineAfter
  const pinnedCount = !isAbove
    ? pinned.length - (wasPinned ? 1 : 0)
    : wasPinned && target >= pinned.length
      ? pinned.length - 1
      : from > line || !wasPinned
        ? Math.max(pinned.length + (target < pinned.length ? 1 : 0), target + 1)
        : pinned.length
  return { pinned: upperRows.slice(0, pinnedCount), ranked: upperRows.slice(pinnedCount), buried: lowerRows }
}

const removeUri = (uris: readonly string[], uri: string): string[] => uris.filter(other => other !== uri)

export const pinResult = ({ pinned, ranked, buried }: CurationDraft, uri: string): CurationDraft => ({
  pinned: [...removeUri(pinned, uri), uri],
  ranked: removeUri(ranked, uri),
  buried: removeUri(buried, uri),
})

export const buryResult = ({ pinned, ranked, buried }: CurationDraft, uri: string): CurationDraft => ({
  pinned: removeUri(pinned, uri),
  ranked: removeUri(ranked, uri),
  buried: [...removeUri(buried, uri), uri],
})

/** Returns a result to the place that its relevance gives it, as far as it is known. */
export const releaseResult = (
  { pinned, ranked, buried }: CurationDraft,
  uri: string,
  results: readonly string[],
): CurationDraft => {
  const place = (other: string) => {
    const index = results.indexOf(other)
    return index < 0 ? results.length : index
  }
  return {
    pinned: removeUri(pinned, uri),
    ranked: [...removeUri(ranked, uri), uri].toSorted((one, next) => place(one) - place(next)),
    buried: removeUri(buried, uri),
  }
}

/** Converts ids of the collection that the endpoint searches; undefined if it is no match endpoint. */
export const findIds = ({ workspace, apis, collections }: WorkspaceFile, api: string, name: string) => {
  const endpoint = apis?.[api]?.endpoints?.[name]
  if (endpoint?.kind !== 'match') return undefined
  const collection = collections?.[endpoint.collection]
  return collection && documentIds(workspace, endpoint.collection, collection)
}
