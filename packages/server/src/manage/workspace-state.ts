/** A stored workspace in the form of its file. */
import { sortRoles } from '@querent/contract/normalize-workspace-file'
import { type ApplicationRow, listClients, type SystemRow } from '#storage/clients'
import type { Db } from '#storage/db'
import { listMembers, type MemberRow } from '#storage/members'
import { findUsers } from '#storage/users'
import type { WorkspaceRow } from '#storage/workspaces'
import type { FullWorkspace } from './changes.ts'

/** Rows per read. */
const pageRows = 1000

export interface WorkspaceState {
  fullWorkspace: FullWorkspace
  /** By name. */
  applications: Map<string, ApplicationRow>
  systemToSystem: Map<string, SystemRow>
}

export const readState = async (db: Db, workspace: WorkspaceRow): Promise<WorkspaceState> => {
  const workspaceId = workspace.id
  const members = await allRows(
    after => listMembers(db, workspaceId, after, pageRows),
    row => row.subject,
  )
  const applications = await allRows(
    after => listClients(db, { workspaceId, kind: 'application', after, count: pageRows }),
    row => row.id,
  )
  const systems = await allRows(
    after => listClients(db, { workspaceId, kind: 'system-to-system', after, count: pageRows }),
    row => row.id,
  )
  const memberBySubject = new Map(members.map(member => [member.subject, member]))
  return {
    fullWorkspace: {
      definition: workspace.definition,
      members: await membersByEmail(db, members),
      applications: Object.fromEntries(applications.map(({ name, settings }) => [name, { ...settings }])),
      systemToSystem: Object.fromEntries(
        systems.map(({ id, name, settings }) => {
          const member = memberBySubject.get(id)
          const roles = (member?.roles ?? []).filter(role => role === 'api' || role === 'data-provider')
          const { addresses, dpop } = settings
          return [
            name,
            { roles: sortRoles(roles), addresses, ...(dpop ? { dpop } : {}), ...pickRights(member) },
          ]
        }),
      ),
    },
    applications: new Map(applications.map(row => [row.name, row])),
    systemToSystem: new Map(systems.map(row => [row.name, row])),
  }
}

const pickRights = (member: MemberRow | undefined) => ({
  ...(member?.filter ? { filter: member.filter } : {}),
  ...member?.rights,
})

const membersByEmail = async (db: Db, members: readonly MemberRow[]): Promise<FullWorkspace['members']> => {
  const people = members.filter(({ kind }) => kind === 'user')
  const emails = new Map<string, string>()
  for (let start = 0; start < people.length; start += pageRows) {
    const ids = people.slice(start, start + pageRows).map(({ subject }) => subject)
    for (const user of await findUsers(db, ids)) emails.set(user.id, user.email)
  }
  return Object.fromEntries(
    people.flatMap(member => {
      const email = emails.get(member.subject)
      return email === undefined
        ? []
        : [[email, { roles: sortRoles(member.roles), ...pickRights(member) }] as const]
    }),
  )
}

const allRows = async <Row>(
  page: (after: string) => Promise<Row[]>,
  readKey: (row: Row) => string,
): Promise<Row[]> => {
  const collected: Row[] = []
  let rows: Row[]
  do {
    const last = collected.at(-1)
    rows = await page(last === undefined ? '' : readKey(last))
    collected.push(...rows)
  } while (rows.length === pageRows)
  return collected
}
