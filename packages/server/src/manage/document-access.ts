/** Lists who can read a document, and explains why others can't: for administrators and operators. */
import { documentIds } from '@querent/contract/document-id'
import type {
  DocumentReader,
  FilterSight,
  GroupSight,
  SightCheck,
  SightSource,
} from '@querent/contract/manage'
import { rolesAllow } from '@querent/contract/roles'
import { publicCollections, searchedCollections } from '#authz/public-content'
import { findStrangerReaders, readerNames } from '#authz/readers'
import { findFilterSources, findRights, hasEnded, type Rights } from '#authz/rights'
import { findGroupRights, findNamedMember } from '#authz/rights-subject'
import { createDocumentSight, type DocumentSight } from '#collections/document-sight'
import { Problem } from '#errors'
import { toEngineProblem } from '#http/engine-problem'
import { findClients } from '#storage/clients'
import type { Db } from '#storage/db'
import { listMembers, type MemberRow } from '#storage/members'
import { displayName, findUsers } from '#storage/users'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Call, Handler, ManagementDependencies } from './call.ts'
import { readPageQuery } from './pages.ts'

type Operations = 'listDocumentReaders' | 'explainDocumentAccess'

/** Members that one request looks at. Pages end there, so that its time and memory are bounded. */
export const scannedMax = 5000
/** Members read at once. */
const batchMax = 1000
/** Values of a document in a reply. */
const valuesMax = 20

export const documentAccessHandlers = {
  listDocumentReaders: async (deps, call) => {
    const { workspace, params, query } = call
    const { uri, sight } = await openDocument(deps, call, query.id)
    const { after, count } = readPageQuery(query)
    const { items, next } = await findMembersWhoSee(deps, call, sight, { after, count })
    const groups = after === '' ? listGroups(workspace, params.collection, sight) : []
    return { document: uri, public: isPublic(workspace, params.collection, sight), groups, items, next }
  },
  explainDocumentAccess: async (deps, call) => {
    const { workspace, params, query } = call
    const { uri, sight } = await openDocument(deps, call, query.id)
    const row = await findNamedMember(deps.directory, workspace, query.member)
    if (!row) throw new Problem('no-such-resource', `the workspace has no member ${query.member}`)
    const [member] = await describeAccounts(deps.storage.db, [row])
    if (!member) throw new Error('a member is not described')
    const rights = findRights(workspace.definition, row)
    const names = readerNames(row, member.email, rights)
    const filters = explainFilters(workspace, row, sight)
    const checks = listChecks(workspace, params.collection, { row, rights, names, filters }, sight)
    const isPublicDocument = isPublic(workspace, params.collection, sight)
    return {
      document: uri,
      member,
      sees: isPublicDocument || checks.every(({ passed }) => passed),
      public: isPublicDocument,
      checks,
      filters,
      hiddenFields: [...(rights.hidden?.fields.get(params.collection) ?? [])],
    }
  },
} satisfies { [Id in Operations]: Handler<Id> }

/** Throws 404 for a document that does not exist, or that the caller's own row filter hides. */
const openDocument = async (
  { directory, readDocument }: ManagementDependencies,
  { workspace, params, principal }: Call<Operations>,
  id: string,
): Promise<{ uri: string; sight: DocumentSight }> => {
  const { definition } = workspace
  const { collection: name } = params
  const collection = Object.hasOwn(definition.collections ?? {}, name)
    ? definition.collections?.[name]
    : undefined
  if (!collection) throw new Problem('no-such-resource', `the workspace has no collection ${name}`)
  const uri = documentIds(definition.workspace, name, collection).toUri(id)
  const entity = uri && (await readDocument(workspace.id, name, uri).catch(rethrowProblem))
  const missing = new Problem('no-such-resource', `no document ${JSON.stringify(id.slice(0, 200))}`)
  if (!entity) throw missing
  const sight = createDocumentSight(collection, entity)
  const caller = await directory.member(workspace.id, principal.subject)
  const filter = caller && findRights(definition, caller).filter
  if (filter && !sight.isVisible([filter])) throw missing
  return { uri, sight }
}

const rethrowProblem = (error: unknown): never => {
  throw toEngineProblem(error)
}

/** Whether a public API shows the document to strangers. */
const isPublic = ({ definition }: WorkspaceRow, collection: string, sight: DocumentSight): boolean => {
  const readers = findStrangerReaders(definition)
  return publicCollections(definition).has(collection) && sight.isVisible(readers ? [readers] : [])
}

const listGroups = (workspace: WorkspaceRow, collection: string, sight: DocumentSight): GroupSight[] =>
  Object.entries(workspace.definition.groups ?? {}).map(([group, { title, filter }]) => {
    const subject = findGroupRights(workspace, group)
    const filters = [subject?.rights.filter, subject?.readers].filter(part => part !== undefined)
    return {
      group,
      ...(title !== undefined && { title }),
      sees:
        subject !== undefined && isOpen(workspace, collection, subject.rights) && sight.isVisible(filters),
      matches: filter ? sight.matches(filter) : null,
      named: sight.hasReaders ? sight.findName([group]) !== undefined : null,
    }
  })

/** Whether the rights open the collection and an API that may search it. */
const isOpen = (workspace: WorkspaceRow, collection: string, { apis, collections }: Rights): boolean => {
  if (collections && !collections.has(collection)) return false
  const names = listApis(workspace, collection)
  return apis === undefined || names.length === 0 || names.some(name => apis.has(name))
}

const listApis = ({ definition }: WorkspaceRow, collection: string): string[] => {
  const { apis = {}, collections = {} } = definition
  return Object.keys(apis).filter(name =>
    searchedCollections(apis[name] ?? {}, Object.keys(collections)).includes(collection),
  )
}

type Account = Pick<DocumentReader, 'kind' | 'email' | 'clientId' | 'name' | 'roles'>

/** Reads all accounts at once. */
const describeAccounts = async (db: Db, rows: readonly MemberRow[]): Promise<Account[]> => {
  const listSubjects = (kind: MemberRow['kind']) =>
    rows.filter(row => row.kind === kind).map(({ subject }) => subject)
  const users = new Map((await findUsers(db, listSubjects('user'))).map(user => [user.id, user]))
  const clients = await findClients(db, listSubjects('system-to-system'))
  const nameById = new Map(clients.map(({ id, name }) => [id, name]))
  return rows.map(({ kind, subject, roles }) => {
    if (kind === 'system-to-system')
      return { kind, clientId: subject, name: nameById.get(subject) ?? subject, roles }
    const user = users.get(subject)
    return user ? { kind, email: user.email, name: displayName(user), roles } : { kind, name: subject, roles }
  })
}

/** Members who see the document, in order of subject. */
const findMembersWhoSee = async (
  { storage }: Pick<ManagementDependencies, 'storage'>,
  { workspace, params }: Call<'listDocumentReaders'>,
  sight: DocumentSight,
  page: { after: string; count: number },
): Promise<{ items: DocumentReader[]; next: string | null }> => {
  const { definition } = workspace
  const items: DocumentReader[] = []
  let { after } = page
  for (let scanned = 0; scanned < scannedMax; scanned += batchMax) {
    const rows = await listMembers(storage.db, workspace.id, after, batchMax)
    // Filters are decided first, because they need no further reads.
    const candidates = rows.filter(row => passesFilter(workspace, params.collection, row, sight))
    const accounts = await describeAccounts(storage.db, candidates)
    for (const [index, row] of candidates.entries()) {
      const account = accounts[index]
      if (!account) continue
      const rights = findRights(definition, row)
      const namedAs = rights.mustBeNamed ? sight.findName(readerNames(row, account.email, rights)) : undefined
      if (rights.mustBeNamed && sight.hasReaders && namedAs === undefined) continue
      if (items.length === page.count) return { items, next: after }
      after = row.subject
      items.push({
        ...account,
        ...describeSources(workspace, row, sight),
        ...(namedAs !== undefined && { namedAs }),
      })
    }
    if (rows.length < batchMax) return { items, next: null }
    after = rows.at(-1)?.subject ?? after
  }
  return { items, next: after }
}

const passesFilter = (
  workspace: WorkspaceRow,
  collection: string,
  row: MemberRow,
  sight: DocumentSight,
): boolean => {
  if (hasEnded(row) || !rolesAllow(row.roles, 'query')) return false
  const rights = findRights(workspace.definition, row)
  return isOpen(workspace, collection, rights) && (!rights.filter || sight.isVisible([rights.filter]))
}

/** Says which sources let the document through. */
const describeSources = (
  { definition }: WorkspaceRow,
  row: MemberRow,
  sight: DocumentSight,
): { through: SightSource[]; groups: string[] } => {
  const sources = findFilterSources(definition, row)
  if (!sources) return { through: [findUnfiltered(row)], groups: [] }
  const matching = sources.filter(({ filled }) => filled && sight.matches(filled))
  return {
    through: [...new Set(matching.map(({ source }) => source))],
    groups: matching.flatMap(({ group }) => group ?? []),
  }
}

const findUnfiltered = ({ roles }: MemberRow): SightSource =>
  roles.includes('administrator') ? 'administrator' : 'unfiltered'

const explainFilters = (workspace: WorkspaceRow, row: MemberRow, sight: DocumentSight): FilterSight[] => {
  const sources = findFilterSources(workspace.definition, row)
  if (!sources) return [{ source: findUnfiltered(row), passed: true, conditions: [] }]
  return sources.map(({ source, group, filter, filled }) => {
    const conditions = sight.explain(filled ?? filter).map(condition => ({
      field: condition.field,
      passed: condition.passed,
      allowed: JSON.stringify(condition.condition),
      found: condition.values.slice(0, valuesMax),
    }))
    // Without an attribute that it names, a filter matches nothing.
    const passed = filled !== undefined && conditions.every(condition => condition.passed)
    return { source, ...(group !== undefined && { group }), passed, conditions }
  })
}

interface Explained {
  row: MemberRow
  rights: Rights
  /** Names by which documents may name the member. */
  names: readonly string[]
  filters: readonly FilterSight[]
}

const listChecks = (
  workspace: WorkspaceRow,
  collection: string,
  { row, rights, names, filters }: Explained,
  sight: DocumentSight,
): SightCheck[] => {
  const check = (name: SightCheck['name'], passed: boolean, message: string): SightCheck => ({
    name,
    passed,
    message,
  })
  const canQuery = rolesAllow(row.roles, 'query')
  const roles = row.roles.join(', ')
  const isCollectionOpen = rights.collections?.has(collection) ?? true
  const apis = listApis(workspace, collection)
  const openApis = apis.filter(name => rights.apis?.has(name) ?? true)
  const isApiOpen = apis.length === 0 || openApis.length > 0
  const matching = filters.filter(({ passed }) => passed)
  const checks = [
    check(
      'membership-end',
      !hasEnded(row),
      hasEnded(row) ? 'the membership has ended' : 'the membership has not ended',
    ),
    check('role', canQuery, canQuery ? `the role may query: ${roles}` : `the role may not query: ${roles}`),
    check(
      'collection',
      isCollectionOpen,
      isCollectionOpen ? 'the collection is open' : 'the collection is closed for the member',
    ),
    check(
      'api',
      isApiOpen,
      isApiOpen
        ? `open APIs that search the collection: ${openApis.join(', ') || 'there is none'}`
        : `all APIs that search the collection are closed for the member: ${apis.join(', ')}`,
    ),
    check(
      'row-filter',
      matching.length > 0,
      matching.length > 0
        ? `the document matches: ${matching.map(nameSource).join(', ')}`
        : `the document matches no filter: ${filters.map(nameSource).join(', ') || 'there is none'}`,
    ),
  ]
  if (!sight.hasReaders || !rights.mustBeNamed) return checks
  const name = sight.findName(names)
  const message =
    name === undefined
      ? `the readers of the document include none of ${names.join(', ')}`
      : `the readers of the document include ${name}`
  return [...checks, check('readers', name !== undefined, message)]
}

const sourceNames: Readonly<Record<SightSource, string>> = {
  administrator: 'administrators see everything',
  own: 'own filter',
  group: 'group',
  memberDefaults: 'memberDefaults',
  unfiltered: 'no filter holds',
}

const nameSource = ({ source, group }: FilterSight): string =>
  group === undefined ? sourceNames[source] : `group ${group}`
