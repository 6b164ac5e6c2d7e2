/** Describes names that a workspace file uses, but does not declare. */
import { describeFault, type FaultCode, type FaultText } from './fault-texts.ts'
import { listNames, suggest } from './nearest-names.ts'
import type { Fault } from './schema-faults.ts'
import type { Path } from './workspace-source.ts'

type NameCode = FaultCode &
  `unknown-${'api' | 'group' | 'collection' | 'field' | 'text-field' | 'endpoint' | 'match-endpoint' | 'ranking-endpoint' | 'filter' | 'facet' | 'boost' | 'together-field'}`

/** Describes the name `found` that is none of `names`, and suggests the nearest. */
export const describeUnknown = (code: NameCode, found: string, names: readonly string[]): FaultText =>
  describeFault(code, { found, names: listNames(names) }, suggest(found, names))

/** Looks up an own property, never one of Object.prototype. */
export const entry = <T>(record: Record<string, T> | undefined, name: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined

export const fault = (path: Path, text: FaultText, at: Fault['target'] = 'value'): Fault => ({
  path,
  ...text,
  target: at,
})
