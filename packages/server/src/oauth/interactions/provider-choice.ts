/** The choice between a workspace's own OpenID provider and the other ways of signing in, by the address that the person typed. */
import { canonicalEmail } from '@querent/contract/email-address'
import { hasDomain, readDomain } from '#oauth/identity-provider/claims'
import type { InteractionDetails, RequestingApplication } from '#oauth/library/interaction-types'
import type { LoginFault } from '#oauth/pages/login-page'
import { findProviderWorkspaces, listProvedDomains } from '#storage/provider-domains'
import type { WorkspaceRow } from '#storage/workspaces'
import {
  type Answer,
  type PageDependencies,
  type PageRequest,
  readField,
  redirectBack,
} from './page-request.ts'
import { emailCharactersMax } from './password-sign-in.ts'
import { startProviderSignIn } from './provider-sign-in.ts'

type Workspace = NonNullable<RequestingApplication['workspace']>

/**
 * Leads people whose address the workspace's own OpenID provider signs in there, and others to the password. The
 * server's own clients belong to no workspace: the person chooses a provider of their domain.
 */
export const chooseProvider = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  details: InteractionDetails,
  fields: NonNullable<PageRequest['fields']>,
): Promise<Answer> => {
  const { workspace } = await deps.consentService.application(details)
  const email = readField(fields, 'email')
  const action = fields.get('action')
  if (action === 'provider') {
    const slug = workspace?.slug ?? fields.get('workspace') ?? ''
    const hasProvider = (await deps.directory.workspace(slug))?.definition.identityProvider !== undefined
    if (hasProvider && (await listUsableDomains(deps, slug)).length === 0)
      return redirectBack(deps, pageRequest, { fault: 'provider-domain-unproved', email })
    return startProviderSignIn(deps, pageRequest, details, { slug, email })
  }
  if (email === '' || canonicalEmail(email).length > emailCharactersMax)
    return redirectBack(deps, pageRequest, { fault: 'email-missing', email })
  if (workspace && (await isForProvider(deps, workspace, email)))
    return startProviderSignIn(deps, pageRequest, details, { slug: workspace.slug, email })
  if (workspace) return redirectBack(deps, pageRequest, { step: 'password', email })
  const hasChoices = (await findProviderChoices(deps, email)).length > 0
  return redirectBack(deps, pageRequest, {
    ...(hasChoices ? { step: 'providers' } : { fault: 'provider-none' }),
    email,
  })
}

/** With a provider the page starts with the address alone, unless the person is past that, or chose the password. */
export const hidesPassword = (
  { query }: PageRequest,
  { step, fault }: { step: string | undefined; fault: LoginFault | undefined },
): boolean =>
  query.get('with') !== 'password' &&
  step !== 'password' &&
  (fault === undefined || fault === 'email-missing')

export const describeProvider = ({ slug, title, definition }: Workspace) => {
  const { issuer = '', name } = definition.identityProvider ?? {}
  const host = URL.parse(issuer)?.host ?? issuer
  return { slug, name: name ?? host, host, workspace: title }
}

/** Whether the workspace's provider signs in people with this address: its domain is proved. */
const isForProvider = async (
  deps: Pick<PageDependencies, 'storage' | 'directory'>,
  { slug }: Pick<Workspace, 'slug'>,
  email: string,
): Promise<boolean> => hasDomain(await listUsableDomains(deps, slug), email)

const listUsableDomains = async (
  { storage, directory }: Pick<PageDependencies, 'storage' | 'directory'>,
  slug: string,
): Promise<string[]> => {
  const workspace = await directory.workspace(slug)
  return workspace?.definition.identityProvider ? listProvedDomains(storage.db, workspace.id) : []
}

/** Returns the provider that the page offers; undefined if there is none, or none of its domains is proved. */
export const findOfferedProvider = async (
  deps: Pick<PageDependencies, 'storage' | 'directory'>,
  workspace: Workspace | undefined,
) =>
  workspace && (await listUsableDomains(deps, workspace.slug)).length > 0
    ? describeProvider(workspace)
    : undefined

/** Providers offered for an address; more would help nobody. */
const choicesMax = 10

/** Returns the workspaces whose provider signs in people with this address. The server's own clients belong to none, so the person chooses. */
export const findProviderChoices = async (
  { storage, directory }: Pick<PageDependencies, 'storage' | 'directory'>,
  email: string,
): Promise<WorkspaceRow[]> => {
  const domain = readDomain(email)
  const slugs = domain === '' ? [] : await findProviderWorkspaces(storage.db, domain, choicesMax)
  const workspaces = await Promise.all(slugs.map(slug => directory.workspace(slug)))
  return workspaces.filter(workspace => workspace !== undefined)
}
