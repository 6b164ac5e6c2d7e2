/** What a workspace file says that its schema accepts and that makes no sense: members, applications, accounts and settings. */
import { isAddressRange } from './address-range.ts'
import { fieldTypes, isFilterable, readFieldValue, valueForms } from './field-value.ts'
import type { RowFilter } from './manage.ts'
import { didYouMean, listNames } from './nearest-names.ts'
import { redirectUriProblem } from './redirect-uri.ts'
import { type Fault, shown } from './schema-faults.ts'
import type { FieldType, WorkspaceFile } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

/** Faults of members, applications, System-to-System accounts and settings of a file that its schema accepts, one at a time. */
export function* clientFaults(file: WorkspaceFile): Iterable<Fault> {
  const types = fieldTypes(Object.values(file.collections ?? {}))
  yield* repeatedAddresses(Object.keys(file.members ?? {}))
  for (const [name, member] of Object.entries(file.members ?? {}))
    if (!Array.isArray(member)) yield* rowFilterFaults(types, member.filter, ['members', name, 'filter'])
  for (const [name, application] of Object.entries(file.applications ?? {})) {
    const path = ['applications', name]
    const uriProblem = (uri: string) => redirectUriProblem(uri, application.type === 'native')
    yield* listFaults(application.redirectUris, [...path, 'redirectUris'], uriProblem)
    yield* listFaults(application.logoutUris, [...path, 'logoutUris'], uriProblem)
    yield* listFaults(application.origins, [...path, 'origins'], originProblem)
    yield* codeGuardFaults(application, path)
    if (application.publicKeys && application.type !== 'server')
      yield {
        path: [...path, 'publicKeys'],
        message: 'only an application of type server authenticates itself: leave the keys out',
        at: 'key',
      }
  }
  for (const [name, account] of Object.entries(file.systemToSystem ?? {})) {
    const path = ['systemToSystem', name]
    yield* rowFilterFaults(types, account.filter, [...path, 'filter'])
    yield* listFaults(account.addresses, [...path, 'addresses'], range =>
      isAddressRange(range) ? undefined : 'an IP address or a range such as 192.0.2.0/24',
    )
  }
  const { origins, accessTokenLifetime: lifetime, queryLog: { keep } = {} } = file.settings ?? {}
  yield* listFaults(origins, ['settings', 'origins'], originProblem)
  const seconds = lifetime === undefined ? 60 : durationSeconds(lifetime)
  if (seconds < 60 || seconds > 86_400)
    yield {
      path: ['settings', 'accessTokenLifetime'],
      message: `found ${shown(lifetime)}, allowed: from 1m to 24h`,
      at: 'value',
    }
  const days = keep === undefined ? 1 : durationSeconds(keep) / 86_400
  if (days < 1 || days > queryLogDaysMax)
    yield {
      path: ['settings', 'queryLog', 'keep'],
      message: `found ${shown(keep)}, allowed: from 1d to ${queryLogDaysMax}d`,
      at: 'value',
    }
}

/** Ten years. */
const queryLogDaysMax = 3650

/** Case counts for nothing in an address: two spellings would be one member with two lists of roles. */
const repeatedAddresses = (names: readonly string[]): Fault[] => {
  const seen = new Set<string>()
  return names.flatMap((name): Fault[] => {
    const address = name.trim().toLowerCase()
    if (!seen.has(address)) {
      seen.add(address)
      return []
    }
    return [{ path: ['members', name], message: `${shown(address)} stands here a second time`, at: 'key' }]
  })
}

/** RFC 9700, section 2.1.1: public applications send a code challenge; confidential ones may be registered to send a nonce instead. */
function* codeGuardFaults(
  { type, pkce, nonce }: NonNullable<WorkspaceFile['applications']>[string],
  path: Path,
): Iterable<Fault> {
  if (pkce === false && type !== 'server')
    yield {
      path: [...path, 'pkce'],
      message: 'found false, allowed: true, or an application of type server, which has a secret',
      at: 'value',
    }
  if (nonce === false && pkce !== false)
    yield {
      path: [...path, 'nonce'],
      message: 'found false, allowed: true, for one that sends a code challenge needs no nonce anyhow',
      at: 'value',
    }
}

const listFaults = (
  list: readonly string[] | undefined,
  path: Path,
  allowedInstead: (item: string) => string | undefined,
): Fault[] =>
  (list ?? []).flatMap((item, index): Fault[] => {
    const allowed = allowedInstead(item)
    return allowed === undefined
      ? []
      : [{ path: [...path, index], message: `found ${shown(item)}, allowed: ${allowed}`, at: 'value' }]
  })

/** What an origin has to be instead, or undefined when it is one as browsers send it. */
export const originProblem = (origin: string): string | undefined => {
  const url = URL.parse(origin)
  if (url === null || !/^https?:$/.test(url.protocol)) return 'an origin such as https://example.org'
  // A browser never sends one, so it would allow nothing.
  if (url.hostname.includes('*')) return 'an origin without wildcards, such as https://example.org'
  return url.origin === origin ? undefined : `an origin alone: ${url.origin}`
}

/** Faults of a row filter in a workspace whose fields have these types; `path` leads to it. */
export function* rowFilterFaults(
  types: Map<string, FieldType[]>,
  filter: RowFilter | undefined,
  path: Path,
): Iterable<Fault> {
  for (const [name, values] of Object.entries(filter ?? {})) {
    const found = types.get(name)
    const fitting = found?.filter(isFilterable) ?? []
    if (fitting.length === 0) {
      const usable = [...types].filter(([, some]) => some.some(isFilterable)).map(([field]) => field)
      const what =
        found === undefined ? `no field "${name}"` : `the field "${name}" is of type ${found.join(', ')}`
      const message = `${what}; a row filter works on: ${listNames(usable)}${didYouMean(name, usable)}`
      yield { path: [...path, name], message, at: 'key' }
      continue
    }
    for (const [index, value] of (Array.isArray(values) ? values : [values]).entries())
      if (fitting.every(type => readFieldValue(type, String(value)) === undefined))
        yield {
          path: Array.isArray(values) ? [...path, name, index] : [...path, name],
          message: `found ${shown(value)}, allowed: ${fitting.map(type => valueForms[type]).join(' or ')}`,
          at: 'value',
        }
  }
}

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Seconds of a duration as the workspace file writes it: `90s`, `15m`, `24h`, `30d`. The schema has accepted it. */
export const durationSeconds = (duration: string): number =>
  Number(duration.slice(0, -1)) * (secondsOf[duration.slice(-1)] ?? Number.NaN)
