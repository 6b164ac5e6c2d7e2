/** Finds mistakes in tests that the schema cannot express. */
import { boostableKinds } from './endpoint-traits.ts'
import { describeFault, type FaultText } from './fault-texts.ts'
import { fieldTypes } from './field-value.ts'
import type { RowFilterCondition } from './manage/row-filter.ts'
import { describeUnknown, entry, fault } from './name-faults.ts'
import { isLeakTest, type LeakTest, type WorkspaceTest } from './relevance-tests.ts'
import { rowFilterFaults } from './row-filter-faults.ts'
import type { Fault } from './schema-faults.ts'
import type { Api, WorkspaceFile } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

/** The parts of a file that its tests name. */
type TestedFile = Pick<WorkspaceFile, 'apis' | 'collections' | 'groups'>

/** Yields the faults of the test at `path`. */
export function* testFaults(file: TestedFile, test: WorkspaceTest, path: Path): Iterable<Fault> {
  const { api, endpoint } = test
  const apis = Object.keys(file.apis ?? {})
  if (api !== undefined && !entry(file.apis, api)) {
    yield fault([...path, 'api'], describeUnknown('unknown-api', api, apis))
    return
  }
  const text = describeTestFault(file, api === undefined ? apis : [api], endpoint)
  if (text !== undefined) yield fault([...path, 'endpoint'], text)
  else if (isLeakTest(test)) yield* leakTestFaults(file, test, path)
}

/** A condition that no document can match would pass without testing anything. */
function* leakTestFaults(file: TestedFile, test: LeakTest, path: Path): Iterable<Fault> {
  const { as, never } = test
  const { groups, collections = {} } = file
  // A file without groups keeps those of the workspace.
  if ('group' in as && groups && !Object.hasOwn(groups, as.group))
    yield fault([...path, 'as', 'group'], describeUnknown('unknown-group', as.group, Object.keys(groups)))
  const collection = entry(collections, findTestCollection(file, test) ?? '')
  const types = fieldTypes(collection ? [collection] : Object.values(collections))
  yield* rowFilterFaults(types, never, [...path, 'never'])
  for (const [field, condition] of Object.entries(never))
    if (usesAttribute(condition)) yield fault([...path, 'never', field], describeFault('never-with-member'))
}

const usesAttribute = (condition: RowFilterCondition): boolean => {
  if (typeof condition !== 'object' || Array.isArray(condition)) return false
  return 'member' in condition || ('not' in condition && usesAttribute(condition.not))
}

/** Returns the collection of the test's endpoint, or of the first part of a mix. */
const findTestCollection = (
  { apis = {} }: Pick<WorkspaceFile, 'apis'>,
  { api, endpoint: name }: Pick<WorkspaceTest, 'api' | 'endpoint'>,
): string | undefined => {
  const candidates: (Api | undefined)[] = api === undefined ? Object.values(apis) : [entry(apis, api)]
  for (const { endpoints } of candidates.filter(candidate => candidate !== undefined)) {
    const endpoint = entry(endpoints, name)
    const part = endpoint?.kind === 'mix' ? entry(endpoints, Object.keys(endpoint.of)[0] ?? '') : endpoint
    if (part && 'collection' in part) return part.collection
  }
  return undefined
}

/** A test needs one endpoint of this name that scores: in the API that it names, or in a single one. */
const describeTestFault = (
  { apis = {} }: Pick<WorkspaceFile, 'apis'>,
  names: readonly string[],
  endpoint: string,
): FaultText | undefined => {
  const scoring = names.flatMap(api =>
    Object.entries(entry(apis, api)?.endpoints ?? {})
      .filter(([, { kind }]) => boostableKinds.includes(kind))
      .map(([name]) => ({ api, name })),
  )
  const matching = scoring.filter(({ name }) => name === endpoint)
  if (matching.length === 0)
    return describeUnknown('unknown-ranking-endpoint', endpoint, [
      ...new Set(scoring.map(({ name }) => name)),
    ])
  if (matching.length === 1) return undefined
  return describeFault('ambiguous-endpoint', {
    found: endpoint,
    names: matching.map(({ api }) => api).join(', '),
  })
}
