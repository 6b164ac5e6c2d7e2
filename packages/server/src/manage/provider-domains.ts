/** Proofs of the domains of a workspace's own OpenID provider: by DNS, by a mailed link, or by an operator. */
import { canonicalDomain } from '@querent/contract/email-address'
import { describeFault } from '@querent/contract/fault-texts'
import type { ProviderDomain } from '@querent/contract/manage'
import { isPublicMailDomain } from '@querent/contract/public-mail-domains'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { makeDomainRecord } from '#accounts/domain-dns'
import { mailTemplates } from '#accounts/mail-templates'
import { Problem } from '#errors'
import { findLanguage } from '#languages/languages'
import type { Db } from '#storage/db'
import {
  createDomainLink,
  domainGraceMs,
  findProviderDomain,
  listProvedDomains,
  type ProviderDomainRow,
  proveDomain,
  recordDomainCheck,
} from '#storage/provider-domains'
import { beginAttempt } from '#storage/throttles'
import { displayName } from '#storage/users'
import { findWorkspace, type WorkspaceRow } from '#storage/workspaces'
import { isOperator } from './admit.ts'
import { audit, type Call, type Handler, type ManagementDependencies, timestamp } from './call.ts'
import { sendForReply } from './mail-for-reply.ts'
import type { FileFinding } from './workspace-file-tasks.ts'

const linkLifetimeMs = 24 * 60 * 60 * 1000
const hourMs = 60 * 60 * 1000
/** Mails that one workspace may cause for domains, and that one address may get. */
const mailsPerHourMax = 5

export const providerDomainHandlers = {
  checkProviderDomain: async (deps, call) => {
    const { storage, domainDns } = deps
    const { workspace, params } = call
    const key = { workspaceId: workspace.id, domain: params.domain }
    const row = await requireDomain(storage.db, key)
    refusePublicMailDomain(row)
    const outcome = await domainDns.check(row.domain, makeDomainRecord(row.token))
    await storage.write(async writer => {
      // The regular look-up of the next day starts the grace period, with a mail. False if another look-up was faster.
      if (!(await recordDomainCheck(writer, row, outcome, { startsGrace: false }))) return
      const proves = outcome === 'found' && row.proof === null
      if (proves) await proveDomain(writer, key, 'dns')
      await audit(writer, call, {
        workspaceId: workspace.id,
        target: row.domain,
        detail: { result: outcome, ...(proves ? { proof: 'dns' } : {}) },
      })
    })
    return describeDomain(await requireDomain(storage.db, key))
  },

  sendProviderDomainLink: async (deps, call) => {
    const { storage, mail, authUrl, directory } = deps
    const { workspace, params, input, principal } = call
    const key = { workspaceId: workspace.id, domain: params.domain }
    const row = await requireDomain(storage.db, key)
    refusePublicMailDomain(row)
    if (!mail.isAvailable)
      throw new Problem('conflict', 'this server cannot send mail: prove the domain by its TXT record')
    const address = `${input.to}@${row.domain}`
    await limitMails(deps, workspace.id, address)
    const { token, expiresAt } = await storage.write(async writer => {
      // It may have left the workspace file meanwhile.
      await requireDomain(writer.db, key)
      await audit(writer, call, { workspaceId: workspace.id, target: row.domain, detail: { address } })
      return createDomainLink(writer, key, { address, ttlMs: linkLifetimeMs })
    })
    const person = await directory.user(principal.subject)
    const outcome = await sendForReply(mail, {
      to: address,
      requestId: call.origin.requestId,
      link: { kind: 'domain', token },
      ...mailTemplates(findLanguage({ language: person?.language ?? null })).domainLink({
        domain: row.domain,
        workspace: workspace.title,
        person: person ? displayName(person) : '',
        issuer: workspace.definition.identityProvider?.issuer ?? '',
        url: `${authUrl}/domain/${token}`,
        expiresAt,
      }),
    })
    return { ...describeDomain(await requireDomain(storage.db, key)), mail: outcome }
  },

  proveProviderDomain: async ({ storage }, call) => {
    const { params } = call
    const workspace = await findWorkspace(storage.db, params.workspace)
    if (!workspace)
      throw new Problem('no-such-resource', `there is no workspace ${JSON.stringify(params.workspace)}`)
    const key = { workspaceId: workspace.id, domain: params.domain }
    await storage.write(async writer => {
      await requireDomain(writer.db, key)
      await proveDomain(writer, key, 'operator')
      await audit(writer, call, {
        workspaceId: workspace.id,
        target: params.domain,
        detail: { proof: 'operator' },
      })
    })
    return describeDomain(await requireDomain(storage.db, key))
  },
} satisfies {
  [Id in 'checkProviderDomain' | 'sendProviderDomainLink' | 'proveProviderDomain']: Handler<Id>
}

const requireDomain = async (
  db: Db,
  key: { workspaceId: string; domain: string },
): Promise<ProviderDomainRow> => {
  const row = await findProviderDomain(db, key)
  if (row) return row
  throw new Problem(
    'no-such-resource',
    `${key.domain} is not among the domains of identityProvider in the workspace file`,
  )
}

const refusePublicMailDomain = ({ domain }: ProviderDomainRow): void => {
  if (!isPublicMailDomain(domain)) return
  throw new Problem(
    'conflict',
    `${domain} belongs to a public mail service: only an operator can prove it (querent provider prove)`,
  )
}

/** Throws 429. */
const limitMails = async (
  { storage, invitationThrottle }: ManagementDependencies,
  workspaceId: string,
  address: string,
): Promise<void> => {
  if (invitationThrottle === 'off') return
  const keys = [`domain links of ${workspaceId}`, `domain links to ${address}`]
  const limits = keys.map(key => ({ key, failuresMax: mailsPerHourMax }))
  if (await beginAttempt(storage, limits, hourMs)) return
  throw new Problem('too-many-requests', 'too many links were mailed: try again in an hour', {
    headers: { 'retry-after': String(hourMs / 1000) },
  })
}

export const describeDomain = (row: ProviderDomainRow): ProviderDomain => {
  const toTimestamp = (ms: number | null) => (ms === null ? null : timestamp(ms))
  const isFailing = row.proof === 'dns' && row.failing_since !== null
  const hasLink = row.link_address !== null && (row.link_expires_at ?? 0) > Date.now()
  return {
    domain: row.domain,
    state: row.proof === null ? 'unproved' : isFailing ? 'failing' : 'proved',
    proof: row.proof,
    provedAt: toTimestamp(row.proved_at),
    record: makeDomainRecord(row.token),
    lastCheck: row.last_check,
    checkedAt: toTimestamp(row.checked_at),
    endsAt: isFailing && row.failing_since !== null ? timestamp(row.failing_since + domainGraceMs) : null,
    needsOperator: isPublicMailDomain(row.domain),
    link:
      hasLink && row.link_address !== null && row.link_expires_at !== null
        ? { address: row.link_address, expiresAt: timestamp(row.link_expires_at) }
        : null,
  }
}

/** Warns which domains of the file are not proved, or that an operator's file proves them. */
export const domainWarnings = async (
  { principal }: Pick<Call, 'principal'>,
  db: Db,
  file: WorkspaceFile,
  workspace: WorkspaceRow | undefined,
): Promise<FileFinding[]> => {
  const proved = workspace ? await listProvedDomains(db, workspace.id) : []
  const path = ['identityProvider', 'domains']
  const unproved = [...(file.identityProvider?.domains ?? []).entries()].filter(
    ([, domain]) => !proved.includes(canonicalDomain(domain) ?? domain),
  )
  if (isOperator(principal))
    return unproved.map(([index, domain]) => ({
      path: [...path, index],
      ...describeFault('proves-domain', { domain, workspace: file.workspace }),
    }))
  const [first, ...others] = unproved
  if (!first) return []
  // One sentence says where to prove all of them.
  const domains = unproved.map(([, domain]) => domain).join(', ')
  const place = others.length === 0 ? [...path, first[0]] : path
  return [{ path: place, ...describeFault('unproved-domain', { domains, workspace: file.workspace }) }]
}
