/** Says what changes in the curation rules of an API. */
import type { Curation } from '@querent/contract/workspace-file'
import { lazy, type ReactNode, Suspense } from 'react'
import { t, tNodes } from '#i18n/translate.ts'

const DocumentName = lazy(async () => ({ default: (await import('./document-name.tsx')).DocumentName }))

interface RulesChange {
  /** Undefined: documents have their ids. */
  workspace: string | undefined
  api: string
  before: readonly Curation[]
  after: readonly Curation[]
}

/** Returns a sentence for each change of a text: `Pins Star Wars Ep. IV for “star wars”`. */
export const describeRuleChanges = ({ workspace, api, before, after }: RulesChange): ReactNode[] => {
  const [oldRules, newRules] = [groupRules(before), groupRules(after)]
  const sentences = [...new Set([...newRules.keys(), ...oldRules.keys()])].flatMap(key => {
    const [oldRule, newRule] = [oldRules.get(key), newRules.get(key)]
    const rule = newRule ?? oldRule
    return rule ? describeRule({ workspace, api, endpoint: rule.endpoint }, rule, oldRule, newRule) : []
  })
  return sentences.length > 0 ? sentences : [t('Reorders the rules of {api}', { api })]
}

/** Rules by their text and endpoint. The rules of one text count as one. */
const groupRules = (rules: readonly Curation[]): ReadonlyMap<string, Curation> => {
  const grouped = new Map<string, Curation>()
  for (const rule of rules) {
    const key = JSON.stringify([rule.when, rule.endpoint])
    const earlier = grouped.get(key)
    grouped.set(key, {
      ...rule,
      pin: [...(earlier?.pin ?? []), ...(rule.pin ?? [])],
      bury: [...(earlier?.bury ?? []), ...(rule.bury ?? [])],
    })
  }
  return grouped
}

interface RulePlace {
  /** As above. */
  workspace: string | undefined
  api: string
  endpoint: string
}

const describeRule = (
  place: RulePlace,
  rule: Curation,
  before: Curation | undefined,
  after: Curation | undefined,
): ReactNode[] => {
  const text = describeText(rule)
  const list = (ids: readonly string[]) => <DocumentNames {...place} ids={ids} />
  const missing = (from: readonly string[] = [], other: readonly string[] = []) =>
    from.filter(id => !other.includes(id))
  const [pinned, unpinned] = [missing(after?.pin, before?.pin), missing(before?.pin, after?.pin)]
  const [buried, unburied] = [missing(after?.bury, before?.bury), missing(before?.bury, after?.bury)]
  const sentences = [
    pinned.length > 0 && tNodes('Pins {documents} for {text}', { documents: list(pinned), text }),
    buried.length > 0 && tNodes('Buries {documents} for {text}', { documents: list(buried), text }),
    unpinned.length > 0 &&
      tNodes('No longer pins {documents} for {text}', { documents: list(unpinned), text }),
    unburied.length > 0 &&
      tNodes('No longer buries {documents} for {text}', { documents: list(unburied), text }),
  ].filter(sentence => sentence !== false)
  if (sentences.length > 0 || JSON.stringify(before) === JSON.stringify(after)) return sentences
  if (!before) return [t('Adds a rule for {text}', { text })]
  if (!after) return [t('Removes the rule for {text}', { text })]
  return [t('Changes the order of the documents for {text}', { text })]
}

/** The text that a rule is for, in quotation marks. */
export const describeText = ({ when }: Pick<Curation, 'when'>): string => {
  const values = Object.values(when)
  return values.length === 0 ? t('every text') : values.map(value => `“${value}”`).join(', ')
}

const namesShown = 10

/** Documents by title and id, in their order. */
export const DocumentNames = ({ ids, workspace, ...place }: RulePlace & { ids: readonly string[] }) => (
  <>
    {ids.slice(0, namesShown).map((id, index) => (
      <span key={id}>
        {index > 0 && ', '}
        {workspace === undefined ? (
          id
        ) : (
          <Suspense fallback={id}>
            <DocumentName {...place} workspace={workspace} id={id} withId />
          </Suspense>
        )}
      </span>
    ))}
    {ids.length > namesShown && ` ${t('and {count} more', { count: ids.length - namesShown })}`}
  </>
)
