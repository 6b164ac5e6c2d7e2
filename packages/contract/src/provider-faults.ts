/** Finds mistakes in `identityProvider` of a workspace file that the schema cannot express. */
import { isDomain, isIssuer } from './provider-addresses.ts'
import { describeValue, type Fault } from './schema-faults.ts'
import type { WorkspaceFile } from './workspace-file.ts'

/** Yields the faults. The schema must already accept the file. */
export function* providerFaults({ identityProvider }: WorkspaceFile): Iterable<Fault> {
  if (!identityProvider) return
  const { issuer, domains = [] } = identityProvider
  if (!isIssuer(issuer))
    yield {
      path: ['identityProvider', 'issuer'],
      message: `found ${describeValue(issuer)}, allowed: an https:// URL without query and fragment, such as https://login.example.org`,
      target: 'value',
    }
  if (domains.length === 0)
    yield {
      path: ['identityProvider', 'domains'],
      message: 'name at least one e-mail domain, such as example.org: the provider signs in nobody else',
      target: 'value',
    }
  for (const [index, domain] of domains.entries())
    if (!isDomain(domain))
      yield {
        path: ['identityProvider', 'domains', index],
        message: `found ${describeValue(domain)}, allowed: a domain in ASCII and lower case, such as example.org. Subdomains are domains of their own`,
        target: 'value',
      }
}
