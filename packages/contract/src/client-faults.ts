/** Finds mistakes that the schema cannot express, in the members, applications, accounts, identity provider and settings of a workspace file. */

import { isAddressRange } from './address-range.ts'
import { brandUrlProblem } from './branding.ts'
import {
  audienceProblem,
  clientOriginProblem,
  type NativeSchemes,
  redirectUriProblem,
} from './client-uris.ts'
import { readDuration } from './duration.ts'
import { canonicalEmail } from './email-address.ts'
import { describeFault, describeNotAllowed, type Requirement } from './fault-texts.ts'
import { fieldTypes } from './field-value.ts'
import { providerFaults } from './provider-faults.ts'
import { groupFaults, membershipFaults } from './rights-faults.ts'
import { rowFilterFaults } from './row-filter-faults.ts'
import { describeValue, type Fault } from './schema-faults.ts'
import type { WorkspaceFile } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

type Application = NonNullable<WorkspaceFile['applications']>[string]

/** Yields the faults of members, applications, System-to-System accounts and settings. The schema must already accept the file. */
export function* clientFaults(file: WorkspaceFile, nativeSchemes: NativeSchemes): Iterable<Fault> {
  const types = fieldTypes(Object.values(file.collections ?? {}))
  yield* duplicateAddressFaults(Object.keys(file.members ?? {}))
  yield* groupFaults(file, types)
  for (const [name, member] of Object.entries(file.members ?? {})) {
    if (Array.isArray(member)) continue
    yield* rowFilterFaults(types, member.filter, ['members', name, 'filter'])
    yield* membershipFaults(file, member, ['members', name])
  }
  for (const [name, application] of Object.entries(file.applications ?? {}))
    yield* applicationFaults(application, ['applications', name], nativeSchemes)
  for (const [name, account] of Object.entries(file.systemToSystem ?? {})) {
    const path = ['systemToSystem', name]
    yield* rowFilterFaults(types, account.filter, [...path, 'filter'])
    yield* membershipFaults(file, account, path)
    yield* listFaults(account.addresses, [...path, 'addresses'], range =>
      isAddressRange(range) ? undefined : { code: 'ip-range' },
    )
  }
  yield* providerFaults(file)
  const { logo, termsUrl, privacyUrl } = file.branding ?? {}
  for (const [key, address] of Object.entries({ logo, termsUrl, privacyUrl }))
    yield* valueFaults(address ?? undefined, ['branding', key], brandUrlProblem)
  yield* settingFaults(file.settings)
}

function* applicationFaults(
  application: Application,
  path: Path,
  nativeSchemes: NativeSchemes,
): Iterable<Fault> {
  const uriProblem = (uri: string) =>
    redirectUriProblem(uri, { isNative: application.type === 'native', nativeSchemes })
  yield* listFaults(application.redirectUris, [...path, 'redirectUris'], uriProblem)
  yield* listFaults(application.logoutUris, [...path, 'logoutUris'], uriProblem)
  yield* listFaults(application.origins, [...path, 'origins'], clientOriginProblem)
  yield* valueFaults(application.backchannelLogoutUri, [...path, 'backchannelLogoutUri'], uri =>
    redirectUriProblem(uri, { isNative: false, nativeSchemes }),
  )
  yield* keyAddressFaults(application, path)
  yield* registeredFaults(application, path)
  yield* valueFaults(application.defaultAudience, [...path, 'defaultAudience'], audienceProblem)
  yield* codeGuardFaults(application, path)
  yield* profileFaults(application, path)
  if (application.publicKeys && application.type !== 'server')
    yield {
      path: [...path, 'publicKeys'],
      ...describeFault('keys-without-server'),
      target: 'key',
    }
}

function* settingFaults(settings: WorkspaceFile['settings'] = {}): Iterable<Fault> {
  const { origins, accessTokenLifetime: lifetime, queryLog: { keep } = {} } = settings
  yield* listFaults(origins, ['settings', 'origins'], clientOriginProblem)
  const seconds = lifetime === undefined ? 60 : readDuration(lifetime)
  if (seconds === undefined || seconds < 60 || seconds > 86_400)
    yield {
      path: ['settings', 'accessTokenLifetime'],
      ...describeNotAllowed(describeValue(lifetime), {
        code: 'duration-between',
        values: { min: '1m', max: '24h' },
      }),
      target: 'value',
    }
  const keepSeconds = keep === undefined ? daySeconds : readDuration(keep)
  if (keepSeconds === undefined || keepSeconds < daySeconds || keepSeconds > queryLogDaysMax * daySeconds)
    yield {
      path: ['settings', 'queryLog', 'keep'],
      ...describeNotAllowed(describeValue(keep), {
        code: 'duration-between',
        values: { min: '1d', max: `${queryLogDaysMax}d` },
      }),
      target: 'value',
    }
}

const daySeconds = 86_400
/** Ten years. */
const queryLogDaysMax = 3650

/** Two spellings of an address would be one member with two lists of roles. */
const duplicateAddressFaults = (names: readonly string[]): Fault[] => {
  const seenAddresses = new Set<string>()
  return names.flatMap((name): Fault[] => {
    const address = canonicalEmail(name)
    if (!seenAddresses.has(address)) {
      seenAddresses.add(address)
      return []
    }
    const text = describeFault('duplicate-member', { found: describeValue(address) })
    return [{ path: ['members', name], ...text, target: 'key' }]
  })
}

/** Public applications must send a code challenge; confidential ones may send a nonce instead (RFC 9700, section 2.1.1). */
function* codeGuardFaults({ type, pkce, nonce }: Application, path: Path): Iterable<Fault> {
  if (pkce === false && type !== 'server')
    yield {
      path: [...path, 'pkce'],
      ...describeFault('pkce-without-server'),
      target: 'value',
    }
  if (nonce === false && pkce !== false)
    yield {
      path: [...path, 'nonce'],
      ...describeFault('unneeded-nonce'),
      target: 'value',
    }
}

/** A FAPI 2.0 client is confidential, has keys and sends a code challenge (FAPI 2.0 Security Profile, section 5.3.3). */
function* profileFaults(
  { profile, type, publicKeys, pkce, idTokenAlgorithm }: Application,
  path: Path,
): Iterable<Fault> {
  if (profile === undefined) return
  if (type !== 'server' || publicKeys === undefined)
    yield {
      path: [...path, 'profile'],
      ...describeFault('profile-without-keys', { found: profile }),
      target: 'value',
    }
  if (pkce === false)
    yield {
      path: [...path, 'pkce'],
      ...describeFault('profile-without-pkce', { profile }),
      target: 'value',
    }
  if (idTokenAlgorithm === 'RS256')
    yield {
      path: [...path, 'idTokenAlgorithm'],
      ...describeFault('profile-algorithm', { profile }),
      target: 'value',
    }
}

/** Only one of both can be right (RFC 7591, section 2). */
function* keyAddressFaults({ jwksUri, publicKeys, type }: Application, path: Path): Iterable<Fault> {
  yield* valueFaults(jwksUri, [...path, 'jwksUri'], brandUrlProblem)
  if (jwksUri !== undefined && (type !== 'server' || publicKeys !== undefined))
    yield { path: [...path, 'jwksUri'], ...describeFault('keys-without-server'), target: 'key' }
}

/** The links stand on the consent page. */
function* registeredFaults({ registered }: Application, path: Path): Iterable<Fault> {
  for (const key of ['policyUri', 'termsUri'] as const)
    yield* valueFaults(registered?.[key], [...path, 'registered', key], brandUrlProblem)
}

const valueFaults = (
  value: string | undefined,
  path: Path,
  findAllowed: (value: string) => Requirement | undefined,
): Fault[] => {
  const allowed = value === undefined ? undefined : findAllowed(value)
  return allowed === undefined
    ? []
    : [{ path, ...describeNotAllowed(describeValue(value), allowed), target: 'value' }]
}

const listFaults = (
  list: readonly string[] | undefined,
  path: Path,
  findAllowed: (item: string) => Requirement | undefined,
): Fault[] =>
  (list ?? []).flatMap((item, index): Fault[] => {
    const allowed = findAllowed(item)
    return allowed === undefined
      ? []
      : [{ path: [...path, index], ...describeNotAllowed(describeValue(item), allowed), target: 'value' }]
  })
