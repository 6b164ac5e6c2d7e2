/**
 * Runs leak tests: documents that a group or member must not see are neither seen, nor found, counted or suggested by the query
 * (authorization-server.md, Leak tests). A test that cannot run does not pass.
 */
import { canonicalEmail } from '@querent/contract/email-address'
import { nearestNames } from '@querent/contract/nearest-names'
import { expandFields } from '@querent/contract/object-fields'
import type { StackedEndpoint } from '@querent/contract/paths'
import { listTestApis } from '@querent/contract/relevance-test-apis'
import { isLeakTest, type LeakTest, type LeakTestOutcome } from '@querent/contract/relevance-tests'
import type { Definition } from '@querent/contract/workspace-file'
import { checkApi } from '#authz/access'
import { type EffectiveFilter, filledFilter, writeSecond } from '#authz/effective-filter'
import { findStrangerHiddenFields } from '#authz/hidden-fields'
import { publicCollections } from '#authz/public-content'
import { findStrangerReaders } from '#authz/readers'
import { combineRights } from '#authz/rights'
import { findGroupRights, findMemberRights, findNamedMember, type SubjectRights } from '#authz/rights-subject'
import type { Candidate, ChangedMember } from '#collections/collections'
import { compileFilter, matchesAll } from '#collections/document-matcher'
import { findCollection } from '#collections/generation-spec'
import { indexedAttributes, parseEntity } from '#collections/stored-entity'
import type { QueryVectors } from '#embedding/query-vectors'
import type { Engine, Plan, Reply } from '#engines/engine'
import { Problem } from '#errors'
import { toEngineProblem } from '#http/engine-problem'
import type { Storage } from '#storage/db'
import type { Directory, MaybePromise } from '#storage/directory'
import { findWorkspaceById, type WorkspaceRow } from '#storage/workspaces'
import { findMeantText } from './did-you-mean.ts'
import { type CompiledApi, compileApi, planVisible } from './plan/compile.ts'
import { resolveTexts } from './plan/text-vectors.ts'

interface LeakTestDependencies {
  storage: Pick<Storage, 'db'>
  engine: Pick<Engine, 'search' | 'isOpened' | 'whenOpened'>
  directory: Pick<Directory, 'member' | 'user' | 'userByEmail'>
  vectors: QueryVectors | undefined
  generation(
    workspace: WorkspaceRow,
    collection: string,
    config: string,
  ): MaybePromise<{ id: string } | undefined>
  /** The time of each search. */
  queryTimeoutMs: number
}

/** The state that is tested, if it is not the current one. */
type TestedState = Pick<Candidate, 'collection' | 'generation' | 'members'>

/** Documents of an outcome. */
const documentsMax = 10
/** Results of the query that are compared with `never` one by one. */
const resultsMax = 100

export type LeakTests = ReturnType<typeof createLeakTests>

export const createLeakTests = (deps: LeakTestDependencies) => {
  /** Runs tests in the generations that answer. `config` replaces the configurations that they name. */
  const run = async (
    workspace: WorkspaceRow,
    tests: readonly LeakTest[],
    config?: string,
  ): Promise<LeakTestOutcome[]> => {
    const outcomes: LeakTestOutcome[] = []
    for (const test of tests) {
      const chosen = config === undefined ? test : { ...test, config }
      const outcome = await runTest(deps, workspace, chosen)
      if (outcome) outcomes.push(outcome)
    }
    return outcomes
  }
  /** Throws 409 if a leak test of the workspace fails in the generation. Names no documents, because the caller may not read them. */
  const checkPromotion = async ({ workspaceId, definition, ...state }: Candidate): Promise<void> => {
    const stored = await findWorkspaceById(deps.storage.db, workspaceId)
    const workspace = stored && definition ? { ...stored, definition } : stored
    const failed: number[] = []
    for (const [index, test] of (workspace?.definition.tests ?? []).entries()) {
      if (!workspace || !isLeakTest(test)) continue
      const outcome = await runTest(deps, workspace, test, state)
      if (outcome && !outcome.passed) failed.push(index)
    }
    if (failed.length > 0) throw describeFailure(failed)
  }
  return { run, checkPromotion }
}

const describeFailure = (indexes: readonly number[]): Problem => {
  const errors = indexes.map(index => ({ path: `tests.${index}`, message: 'this leak test fails' }))
  const names = errors.slice(0, documentsMax).map(({ path }) => path)
  return new Problem(
    'leak-test-failed',
    `nothing was promoted, because leak tests of the workspace file fail: ${names.join(', ')}; "querent judge" shows the documents`,
    { errors },
  )
}

/** Returns undefined for a test of another collection than that of `state`. */
const runTest = async (
  deps: LeakTestDependencies,
  workspace: WorkspaceRow,
  test: LeakTest,
  state?: TestedState,
): Promise<LeakTestOutcome | undefined> => {
  const { as, endpoint, query } = test
  const api = test.api ?? listTestApis(workspace.definition, endpoint)[0] ?? ''
  const identity = { name: nameTest(test, api), api, endpoint, query, as }
  const noLeaks = { sees: 0, finds: 0, documents: [], suggests: null }
  try {
    const leaks = await findLeaks(deps, workspace, test, compileApi(workspace.definition, api), state)
    if (!leaks) return undefined
    return { ...identity, passed: leaks.sees + leaks.finds === 0 && leaks.suggests === null, ...leaks }
  } catch (error) {
    const problem = toEngineProblem(error)
    if (!(problem instanceof Problem) || problem.status >= 500) throw problem
    return { ...identity, passed: false, ...noLeaks, error: problem.message }
  }
}

const nameTest = ({ as, endpoint, query, config }: LeakTest, api: string): string => {
  const subject = 'group' in as ? `the group ${as.group}` : as.member
  return `${api} ${endpoint}: ${query}, as ${subject}${config === undefined ? '' : `, in ${config}`}`
}

type Leaks = Pick<LeakTestOutcome, 'sees' | 'finds' | 'documents' | 'suggests'>

const findLeaks = async (
  deps: LeakTestDependencies,
  workspace: WorkspaceRow,
  test: LeakTest,
  api: CompiledApi,
  state: TestedState | undefined,
): Promise<Leaks | undefined> => {
  const stack = writeStack(api, test)
  const { collection } = api.plan({ stack, ...page(0), filters: [] })
  if (state && state.collection !== collection) return undefined
  const subject = await findSubject(deps, workspace, test.as, state?.members)
  const generation = state?.generation ?? (await findOpenGeneration(deps, workspace, collection, test.config))
  const search = async (plan: Plan): Promise<Reply> => {
    const { plan: complete } = await resolveTexts(plan, deps.vectors, deps.queryTimeoutMs)
    return deps.engine.search(generation, complete, deps.queryTimeoutMs, undefined, workspace.id)
  }
  const never = filledFilter(test.never)
  const visible = await findSeen(workspace.definition, api, collection, subject, never, search)
  const matches = await findByQuery(workspace.definition, api, stack, { subject, test, never }, search)
  return {
    sees: visible.total,
    finds: matches.total,
    documents: [...new Set([...visible.ids, ...matches.ids])].slice(0, documentsMax),
    suggests: matches.suggests,
  }
}

/** Throws Problem `unknown-endpoint` if the API has no such endpoint with a text. */
const writeStack = ({ steps }: CompiledApi, { endpoint, query }: LeakTest): StackedEndpoint[] => {
  const parameter = steps.get(endpoint)?.parameters.find(({ type }) => type === 'string')
  if (!parameter)
    throw new Problem(
      'unknown-endpoint',
      `no endpoint "${endpoint}" with a text; there are: ${nearestNames(endpoint, steps.keys()).join(', ')}`,
    )
  return [{ endpoint, parameters: [{ name: parameter.name, value: query }] }]
}

const page = (count: number) => ({ offset: 0, count, cutoff: 0, statistics: false, suggest: true })

/** Throws Problem `no-such-resource` for a group or member that does not exist. */
const findSubject = async (
  { directory }: LeakTestDependencies,
  workspace: WorkspaceRow,
  as: LeakTest['as'],
  members: Candidate['members'],
): Promise<SubjectRights> => {
  const { definition } = workspace
  if ('group' in as) {
    const groupRights = findGroupRights(workspace, as.group)
    if (groupRights) return groupRights
    throw new Problem('no-such-resource', `the workspace has no group ${as.group}`)
  }
  const member = await findNamedMember(directory, workspace, as.member)
  const email = canonicalEmail(as.member)
  const changed = members?.get(email)
  if (changed) return findChangedRights(definition, changed, email)
  if (member) return findMemberRights(directory, definition, member)
  throw new Problem('no-such-resource', `the workspace has no member ${as.member}`)
}

/** The rights of a member by the file that is being applied. */
const findChangedRights = (definition: Definition, member: ChangedMember, email: string): SubjectRights => {
  const rights = combineRights(definition, member, Date.now())
  const names = [email, ...rights.groups]
  const readers = rights.mustBeNamed
    ? { alternatives: [{}], dependsOnTime: false, readers: names }
    : undefined
  return { rights, readers }
}

const listFilters = ({ rights, readers }: SubjectRights): EffectiveFilter[] =>
  [rights.filter, readers].filter(filter => filter !== undefined)

const strangerFilters = (definition: Definition): EffectiveFilter[] => {
  const readers = findStrangerReaders(definition)
  return readers ? [readers] : []
}

/** Throws Problem `unavailable` if the collection has no generation yet. */
const findOpenGeneration = async (
  { engine, generation, queryTimeoutMs }: LeakTestDependencies,
  workspace: WorkspaceRow,
  collection: string,
  config = 'default',
): Promise<string> => {
  const target = await generation(workspace, collection, config)
  if (!target)
    throw new Problem('unavailable', `the collection "${collection}" is not ready yet; try again shortly`)
  if (!(engine.isOpened?.(target.id) ?? true)) await engine.whenOpened?.(target.id, queryTimeoutMs)
  return target.id
}

/** Finds the documents of the collection that match `never` and that the subject sees, also at a public API. */
const findSeen = async (
  definition: Definition,
  { views }: CompiledApi,
  collection: string,
  subject: SubjectRights,
  never: EffectiveFilter,
  search: (plan: Plan) => Promise<Reply>,
): Promise<{ total: number; ids: string[] }> => {
  const view = views.get(collection)
  if (!view) throw new Error('a planned collection does not exist')
  const { collections } = subject.rights
  const ways = collections === undefined || collections.has(collection) ? [listFilters(subject)] : []
  if (publicCollections(definition).has(collection)) ways.push(strangerFilters(definition))
  let total = 0
  const ids: string[] = []
  for (const filters of ways) {
    const reply = await search(planVisible(view, [...filters, never], documentsMax).plan)
    total = Math.max(total, reply.total)
    ids.push(...reply.hits.map(({ entity }) => parseEntity(entity).id))
  }
  return { total, ids }
}

/** Finds the documents that match `never` and that the query finds, counts or makes suggestions from. */
const findByQuery = async (
  definition: Definition,
  whole: CompiledApi,
  stack: StackedEndpoint[],
  { subject, test, never }: { subject: SubjectRights; test: LeakTest; never: EffectiveFilter },
  search: (plan: Plan) => Promise<Reply>,
): Promise<{ total: number; ids: string[]; suggests: string | null }> => {
  const isOpen = whole.access === 'public'
  if (!isOpen && !checkApi(subject.rights, whole.name).passed) return nothingFound
  const { rights } = subject
  const api = isOpen
    ? compileApi(definition, whole.name, undefined, findStrangerHiddenFields(definition))
    : compileApi(definition, whole.name, rights.collections, rights.hidden)
  // An endpoint that does not exist for them finds nothing.
  if (!api.steps.has(test.endpoint)) return nothingFound
  const filters = isOpen ? strangerFilters(definition) : listFilters(subject)
  const { collection, plan } = api.plan({ stack, filters, ...page(resultsMax) })
  const reply = await search(plan)
  const { fields = {} } = findCollection(definition, collection)
  const conditions = compileFilter(test.never, expandFields(fields), writeSecond(Date.now()))
  const results = reply.hits.map(({ entity }) => parseEntity(entity))
  const ids = results.filter(entity => matchesAll(conditions, indexedAttributes(entity))).map(({ id }) => id)
  const restricted = [...filters, never]
  const { total } = await search(api.plan({ stack, filters: restricted, ...page(0) }).plan)
  const corrections = (reply.total === 0 && reply.corrections) || []
  const isText = (endpoint: string) => ['match', 'mix'].includes(api.steps.get(endpoint)?.kind ?? '')
  const suggests = await findMeantText(stack, isText, corrections, async corrected => {
    const { plan: meant } = api.plan({ stack: corrected, filters: restricted, ...page(1) })
    return (await search(meant)).total > 0
  })
  return { total: Math.max(total, ids.length), ids, suggests }
}

const nothingFound = { total: 0, ids: [], suggests: null }
