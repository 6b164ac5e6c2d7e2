/** Finds mistakes in `identityProvider` of a workspace file that the schema cannot express. */
import { describeFault, describeNotAllowed } from './fault-texts.ts'
import { describeUnknown } from './name-faults.ts'
import { isDomain, isIssuer } from './provider-addresses.ts'
import { describeValue, type Fault } from './schema-faults.ts'
import type { WorkspaceFile } from './workspace-file.ts'

/** Yields the faults. The schema must already accept the file. */
export function* providerFaults({ identityProvider, groups = {} }: WorkspaceFile): Iterable<Fault> {
  if (!identityProvider) return
  const { issuer, domains = [] } = identityProvider
  if (!isIssuer(issuer))
    yield {
      path: ['identityProvider', 'issuer'],
      ...describeNotAllowed(describeValue(issuer), { code: 'issuer' }),
      target: 'value',
    }
  if (domains.length === 0)
    yield {
      path: ['identityProvider', 'domains'],
      ...describeFault('no-domains'),
      target: 'value',
    }
  for (const [value, names] of Object.entries(identityProvider.groups?.map ?? {}))
    for (const [index, name] of names.entries())
      if (!Object.hasOwn(groups, name))
        yield {
          path: ['identityProvider', 'groups', 'map', value, index],
          ...describeUnknown('unknown-group', name, Object.keys(groups)),
          target: 'value',
        }
  for (const [index, domain] of domains.entries())
    if (!isDomain(domain))
      yield {
        path: ['identityProvider', 'domains', index],
        ...describeNotAllowed(describeValue(domain), { code: 'domain' }),
        target: 'value',
      }
}
