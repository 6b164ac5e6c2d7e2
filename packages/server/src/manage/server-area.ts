/** Version, workspaces and test mails, for the operators' pages of the console. */
import type { WorkspaceSize } from '@querent/contract/manage'
import { mailTemplates } from '#accounts/mail-templates'
import { Problem } from '#errors'
import { findLanguage } from '#languages/languages'
import { countMembers } from '#storage/members'
import { findUser } from '#storage/users'
import { listWorkspaces, type WorkspaceRow } from '#storage/workspaces'
import { readLastBackup } from './backup.ts'
import { audit, type Handler, type ManagementDependencies, timestamp } from './call.ts'
import { makePage, readPageQuery } from './pages.ts'

export const serverAreaHandlers = {
  getServer: async ({ storage, baseUrl, authUrl, mail, diagnostics, nodes }) => {
    const lastBackup = await readLastBackup(storage.logs)
    return {
      version: nodes.version,
      baseUrl,
      authUrl,
      storage: storage.kind,
      engine: diagnostics.ping ? ('opensearch' as const) : ('embedded' as const),
      mail: mail.description ?? null,
      lastBackupAt: lastBackup.at === null ? null : timestamp(lastBackup.at),
      lastBackupMissing: lastBackup.missing,
    }
  },

  listWorkspaceSizes: async (deps, { query }) => {
    const { db } = deps.storage
    const request = readPageQuery(query)
    const rows = await listWorkspaces(db, { after: request.after, count: request.count + 1 })
    const page = makePage(rows, request, row => row.slug)
    const members = await countMembers(
      db,
      page.rows.map(({ id }) => id),
    )
    const items: WorkspaceSize[] = []
    for (const row of page.rows) {
      const { collections = {} } = row.definition
      items.push({
        workspace: row.slug,
        title: row.title,
        createdAt: timestamp(row.created_at),
        people: members.get(row.id)?.people ?? 0,
        systemToSystem: members.get(row.id)?.systemToSystem ?? 0,
        collections: Object.keys(collections).length,
        documents: await countDocuments(deps, row),
      })
    }
    return { items, next: page.next }
  },

  sendTestMail: async (deps, call) => {
    const { storage, mail, authUrl } = deps
    const { to } = call.input
    const user = await findUser(storage.db, call.principal.subject)
    const content = mailTemplates(findLanguage({ language: user?.language ?? null })).test({ authUrl })
    if (!mail.isAvailable)
      throw new Problem(
        'conflict',
        'no mail server is configured: set QUERENT_SMTP_URL and QUERENT_MAIL_FROM',
      )
    await storage.write(writer => audit(writer, call, { target: to }))
    const outcome = await mail.test({ to, requestId: call.origin.requestId, ...content })
    return outcome ?? { accepted: false, answer: 'no mail server is configured' }
  },
} satisfies {
  [Id in 'getServer' | 'listWorkspaceSizes' | 'sendTestMail']: Handler<Id>
}

/** Opens no collection: a closed one has its saved number. Null if that of any collection is unknown. */
const countDocuments = async (
  { collections }: ManagementDependencies,
  workspace: WorkspaceRow,
): Promise<number | null> => {
  let total = 0
  for (const collection of Object.keys(workspace.definition.collections ?? {})) {
    const generations = await collections.list(workspace, collection, () => false)
    const live = generations.find(({ state }) => state === 'promoted')
    if (live?.documents === undefined) return null
    total += live.documents
  }
  return total
}
