/**
 * Looks for the TXT records of proved domains again, every 30 days. If a record is gone, the administrators are told, and it is looked up every
 * day. Two weeks later the proof ends. A name server that does not answer ends none.
 */
import { findLanguage } from '#languages/languages'
import { recordAudit } from '#storage/audit'
import type { Storage } from '#storage/db'
import { listAdministrators } from '#storage/members'
import {
  domainGraceMs,
  listDueDomains,
  type ProviderDomainRow,
  recordDomainCheck,
  withdrawDomainProof,
} from '#storage/provider-domains'
import { findWorkspaceById } from '#storage/workspaces'
import { type DomainDns, makeDomainRecord } from './domain-dns.ts'
import type { Mailer } from './mail.ts'
import { mailTemplates } from './mail-templates.ts'

interface Dependencies {
  storage: Storage
  domainDns: DomainDns
  mail: Pick<Mailer, 'send'>
  authUrl: string
  log: { warn(facts: object, message: string): void }
}

const dayMs = 24 * 60 * 60 * 1000
const everyMs = 30 * dayMs
const pauseMs = 60 * 60 * 1000
const domainsAtOnceMax = 100
const mailsMax = 20

/** Looks every hour which domains are due. Any node may. */
export const openDomainChecks = (deps: Dependencies): { close(): Promise<void> } => {
  let running: Promise<void> = Promise.resolve()
  const closing = new AbortController()
  const timer = setInterval(() => {
    running = checkDueDomains(deps, closing.signal).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'domains of OpenID providers could not be looked up'),
    )
  }, pauseMs).unref()
  return {
    async close() {
      clearInterval(timer)
      closing.abort()
      await running
    },
  }
}

/** Looks up the domains that are due, at most 100, until `signal` is aborted. */
export const checkDueDomains = async (deps: Dependencies, signal?: AbortSignal): Promise<void> => {
  const now = Date.now()
  const due = await listDueDomains(
    deps.storage.db,
    { checkedBefore: now - everyMs, failedBefore: now - dayMs },
    domainsAtOnceMax,
  )
  for (const row of due) {
    if (signal?.aborted) return
    await checkDomain(deps, row)
  }
}

const checkDomain = async (deps: Dependencies, row: ProviderDomainRow): Promise<void> => {
  const { storage, domainDns, log } = deps
  const { domain, workspace_id: workspaceId, failing_since: failingSince } = row
  const outcome = await domainDns.check(domain, makeDomainRecord(row.token))
  const isOver = outcome === 'missing' && failingSince !== null && failingSince + domainGraceMs <= Date.now()
  const isRecorded = await storage.write(async writer => {
    // Another node was faster.
    if (!(await recordDomainCheck(writer, row, outcome, { startsGrace: true }))) return false
    if (!isOver) return true
    await withdrawDomainProof(writer, { workspaceId, domain })
    await recordAudit(writer, {
      workspaceId,
      actor: 'server',
      action: 'checkProviderDomain',
      target: domain,
      detail: { result: outcome, proof: null },
      address: '',
      requestId: '',
    })
    return true
  })
  if (!isRecorded || outcome === 'found') return
  log.warn(
    { workspaceId, domain, outcome },
    isOver
      ? 'the proof of a domain of an OpenID provider has ended: its TXT record is gone'
      : 'the TXT record of a domain of an OpenID provider could not be confirmed',
  )
  if (isOver || (outcome === 'missing' && failingSince === null)) await warnAdministrators(deps, row, isOver)
}

const warnAdministrators = async (
  { storage, mail, authUrl }: Dependencies,
  { domain, token, workspace_id: workspaceId }: ProviderDomainRow,
  isOver: boolean,
): Promise<void> => {
  const workspace = await findWorkspaceById(storage.db, workspaceId)
  if (!workspace) return
  for (const person of await listAdministrators(storage.db, workspaceId, mailsMax)) {
    const templates = mailTemplates(findLanguage(person))
    const facts = {
      domain,
      workspace: workspace.title,
      record: makeDomainRecord(token),
      url: `${authUrl}/console/w/${workspace.slug}/settings/sign-in`,
      endsAt: Date.now() + domainGraceMs,
    }
    await mail.send({
      to: person.email,
      ...(isOver ? templates.domainEnded(facts) : templates.domainFailing(facts)),
    })
  }
}
