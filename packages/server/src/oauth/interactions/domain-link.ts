/**
 * `/domain/{token}`: the postmaster of a domain confirms that a workspace's own OpenID provider signs its people in. The link is for whoever reads
 * the mail there; no account is needed.
 */
import { confirmDomainPage, domainConfirmedPage, domainLinkGonePage } from '#oauth/pages/domain-pages'
import { recordAudit } from '#storage/audit'
import { findDomainLink, useDomainLink } from '#storage/provider-domains'
import { findWorkspaceById } from '#storage/workspaces'
import type { Handler } from './page-request.ts'

/** Opening the link changes nothing, because mail scanners open links too. */
export const confirmDomain: Handler = async ({ storage }, pageRequest, link) => {
  const { locale, token, fields, address, requestId } = pageRequest
  const row = await findDomainLink(storage.db, link)
  const workspace = row && (await findWorkspaceById(storage.db, row.workspace_id))
  const issuer = workspace?.definition.identityProvider?.issuer
  if (!row || !workspace || issuer === undefined) return { page: domainLinkGonePage(locale) }
  const facts = { domain: row.domain, workspace: workspace.title, issuer }
  if (fields?.get('action') !== 'confirm') return { page: confirmDomainPage(locale, { token, ...facts }) }
  const isConfirmed = await storage.write(async writer => {
    if (!(await useDomainLink(writer, link))) return false
    await recordAudit(writer, {
      workspaceId: workspace.id,
      actor: row.link_address ?? '',
      action: 'confirmProviderDomain',
      target: row.domain,
      detail: { proof: 'email' },
      address,
      requestId,
    })
    return true
  })
  return { page: isConfirmed ? domainConfirmedPage(locale, facts) : domainLinkGonePage(locale) }
}
