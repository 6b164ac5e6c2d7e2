/** Describes names that a workspace file uses, but does not declare. */
import { describeFault, type FaultCode, type FaultText } from './fault-texts.ts'
import { didYouMean, listNames } from './nearest-names.ts'
import type { Fault } from './schema-faults.ts'
import type { Path } from './workspace-source.ts'

/** For nouns without a code. */
export const unknownName = (noun: string, name: string, names: readonly string[]) =>
  `no ${noun} "${name}"; there are: ${listNames(names)}${didYouMean(name, names)}`

type NameCode = FaultCode & `unknown-${'collection' | 'field' | 'endpoint' | 'match-endpoint' | 'filter'}`

/** `hint` completes the English message. */
export const describeUnknown = (
  code: NameCode,
  name: string,
  names: readonly string[],
  hint = '',
): FaultText => describeFault(code, { found: name, names: listNames(names) }, didYouMean(name, names) + hint)

/** Looks up an own property, never one of Object.prototype. */
export const entry = <T>(record: Record<string, T> | undefined, name: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined

export const fault = (path: Path, text: string | FaultText, at: Fault['target'] = 'value'): Fault => ({
  path,
  ...(typeof text === 'string' ? { message: text } : text),
  target: at,
})
