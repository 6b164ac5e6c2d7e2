/** Looks for the TXT record that proves a domain. */
import { Resolver } from 'node:dns/promises'
import type { DomainCheck } from '#storage/provider-domains'

const timeoutMs = 3000
const tries = 2
const recordPrefix = 'querent-domain-verification='

/** Returns the text of the record. */
export const makeDomainRecord = (token: string | null): string => `${recordPrefix}${token ?? ''}`

export interface DomainDns {
  /** Never rejects. `no-answer`: nobody can tell whether the record is there. */
  check(domain: string, record: string): Promise<DomainCheck>
}

/** The domain or the record does not exist. All other errors say nothing about it. */
const absent: readonly unknown[] = ['ENOTFOUND', 'ENODATA']

/** `servers`: IP addresses of name servers, with an optional port; empty: those of the machine. */
export const createDomainDns = (servers: readonly string[] = []): DomainDns => ({
  async check(domain, record) {
    const resolver = new Resolver({ timeout: timeoutMs, tries })
    if (servers.length > 0) resolver.setServers(servers)
    try {
      const records = await resolver.resolveTxt(domain)
      return records.some(parts => parts.join('').trim() === record) ? 'found' : 'missing'
    } catch (error) {
      return error instanceof Error && 'code' in error && absent.includes(error.code)
        ? 'missing'
        : 'no-answer'
    }
  },
})
