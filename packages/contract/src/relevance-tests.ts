/** Tests of a workspace file (workspace-file.md), which `querent judge` runs: relevance tests and leak tests. */
import { GroupName } from './manage/rights.ts'
import { RowFilter } from './manage/row-filter.ts'
import { type Static, Type } from './schema.ts'
import { workspaceLimits as limits } from './workspace-limits.ts'
import { closed, namePattern } from './workspace-names.ts'

/** The measures, each of the first `k` results: `ndcg@10`. */
export const measureNames = ['ndcg', 'mrr', 'precision', 'recall'] as const
export type MeasureName = (typeof measureNames)[number]
export const metricPattern = `^(${measureNames.join('|')})@([1-9][0-9]?|100)$`

const place = {
  api: Type.Optional(
    Type.String({ pattern: namePattern, description: 'Needed if several APIs have the endpoint' }),
  ),
  endpoint: Type.String({ pattern: namePattern }),
  config: Type.Optional(
    Type.String({ pattern: namePattern, description: 'Configuration; default: default' }),
  ),
}

/** All of `expect`, ids or URIs of documents, must be among the first `within` results. */
export const ExpectTest = Type.Object(
  {
    ...place,
    query: Type.String({ minLength: 1, maxLength: limits.textCharacters }),
    expect: Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { minItems: 1, maxItems: 100 }),
    within: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Default: 10' })),
  },
  closed,
)
export type ExpectTest = Static<typeof ExpectTest>

/** A file of lines with query, document and grade, separated by tabs. Its path is relative to the workspace file. */
export const JudgmentsTest = Type.Object(
  {
    ...place,
    judgments: Type.String({ minLength: 1, maxLength: 1024 }),
    metric: Type.String({
      pattern: metricPattern,
      description: 'ndcg@10, mrr@10, precision@5 or recall@100',
      examples: measureNames.map(name => `${name}@10`),
    }),
    atLeast: Type.Number({ minimum: 0, maximum: 1 }),
  },
  closed,
)
export type JudgmentsTest = Static<typeof JudgmentsTest>

export const RelevanceTest = Type.Union([ExpectTest, JudgmentsTest])
export type RelevanceTest = Static<typeof RelevanceTest>

/** The rights of a leak test: those of somebody in one group, or of a member, by email address or Client ID. */
export const GroupSubject = Type.Object({ group: GroupName }, closed)
export const MemberSubject = Type.Object({ member: Type.String({ minLength: 1, maxLength: 254 }) }, closed)
const LeakTestSubject = Type.Union([GroupSubject, MemberSubject])

/** The subject must not see any document that matches `never`, and the query must not find, count or suggest one. */
export const LeakTest = Type.Object(
  {
    as: LeakTestSubject,
    ...place,
    query: Type.String({ minLength: 1, maxLength: limits.textCharacters }),
    never: RowFilter,
  },
  closed,
)
export type LeakTest = Static<typeof LeakTest>

export const WorkspaceTest = Type.Union([ExpectTest, JudgmentsTest, LeakTest])
export type WorkspaceTest = RelevanceTest | LeakTest

export const isLeakTest = (test: WorkspaceTest): test is LeakTest => 'never' in test

/** Returns the measure and the number of results of a metric such as `ndcg@10`. */
export const readMetric = (metric: string): { measure: MeasureName; count: number } => {
  const [measure = '', count = ''] = metric.split('@')
  // The schema accepts these names only.
  return { measure: measure as MeasureName, count: Number(count) }
}

/** The outcome of a leak test. It passes if nothing leaks. */
export const LeakTestOutcome = Type.Object({
  name: Type.String({ description: 'The same in every run' }),
  api: Type.String(),
  endpoint: Type.String(),
  query: Type.String(),
  as: LeakTestSubject,
  passed: Type.Boolean(),
  sees: Type.Integer({ description: 'Documents that match `never` and that the group or member sees' }),
  finds: Type.Integer({ description: 'Those of them that the query finds and counts' }),
  documents: Type.Array(Type.String(), { description: 'Ids of the first 10 of these documents' }),
  suggests: Type.Union([Type.String(), Type.Null()], {
    description: 'Text that the query suggests because of such documents',
  }),
  error: Type.Optional(Type.String({ description: 'Why the test could not run. It does not pass' })),
})
export type LeakTestOutcome = Static<typeof LeakTestOutcome>
