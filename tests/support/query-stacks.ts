/** Random stacks that the oracle understands. */
import fc from 'fast-check'
import type { FilterField, OracleStep, SortName, Tuple } from './query-oracle.ts'
import { kinds, nastyValues, type TestDocument, words } from './query-things.ts'

/** Values that mean themselves without quotes, so not those that parse as a tuple list. */
const isPlain = (value: string) => !/^\s*[0-9.]+\s*\(.*\)\s*$/s.test(value)

const pools: Readonly<Record<FilterField, readonly string[]>> = {
  tags: [...nastyValues, 'nowhere'],
  kind: kinds,
  size: ['-3', '-0.5', '0', '1', '2.0', '2.5', '1e1', '1000000', '7'],
  flag: ['true', 'false'],
}

const scores = fc.constantFrom(1, 0.5, 0.25, 3, 0.125)
const makeTuples = (pool: readonly string[]): fc.Arbitrary<Tuple[]> =>
  fc.array(
    fc.record({
      score: scores,
      values: fc.array(fc.constantFrom(...pool), { minLength: 1, maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 4 },
  )

/** Tuples without quotes, as many clients write them. If they have several values, the whole text counts too. */
const unquotedTags: fc.Arbitrary<OracleStep> = fc
  .array(
    fc.record({
      score: scores,
      parts: fc.array(fc.constantFrom('a', 'b', 'drama', 'été', '100%', 'nowhere'), {
        minLength: 1,
        maxLength: 3,
      }),
      comma: fc.constantFrom(',', ', '),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map(all => ({
    kind: 'filter' as const,
    field: 'tags' as const,
    plain: all.map(({ score, parts, comma }) => `${score}(${parts.join(comma)})`).join('|'),
    tuples: all.map(({ score, parts, comma }) => ({ score, values: [...parts, parts.join(comma)] })),
    unquoted: all.map(({ parts, comma }) => ({ parts, joined: parts.join(comma) })),
  }))

const makeFilter = (field: FilterField): fc.Arbitrary<OracleStep> =>
  fc.oneof(
    makeTuples(pools[field]).map(tuples => ({ kind: 'filter' as const, field, tuples })),
    fc.constantFrom(...pools[field].filter(isPlain)).map(plain => ({
      kind: 'filter' as const,
      field,
      plain,
      tuples: [{ score: 1, values: [plain] }],
    })),
  )

const rangeEnd = (pool: readonly string[]) => fc.option(fc.constantFrom(...pool), { nil: undefined })
const makeRange = (kind: 'size-range' | 'added-range', pool: readonly string[]): fc.Arbitrary<OracleStep> =>
  fc
    .record({ from: rangeEnd(pool), to: rangeEnd(pool), swapped: fc.boolean() })
    .map(({ from, to, swapped }) => ({
      kind,
      swapped,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    }))

const sortNames: readonly SortName[] = ['by-size', 'by-size-down', 'by-added-down', 'by-label', 'by-flag']

/** Steps that narrow the result. At most two of each tuple list, so that results are not always empty. */
export const narrowingSteps = (documents: readonly TestDocument[]): fc.Arbitrary<OracleStep> =>
  fc.oneof(
    { weight: 3, arbitrary: makeFilter('tags') },
    unquotedTags,
    { weight: 2, arbitrary: makeFilter('kind') },
    makeFilter('size'),
    makeFilter('flag'),
    fc.constant<OracleStep>({ kind: 'alpha' }),
    makeRange('size-range', ['-3', '0', '2', '2.5', '9', '1000000']),
    makeRange('added-range', [
      '1969-07-20',
      '2020-01-01',
      '2020-01-02',
      '2020-01-01T12:00:00Z',
      '2020-01-02T00:00:00.5Z',
      '2031-12-31T06:30:00Z',
    ]),
    makeTuples(documents.slice(0, 60).map(({ id }) => id)).map(tuples => ({
      kind: 'thing' as const,
      tuples,
    })),
  )

export const sortSteps: fc.Arbitrary<OracleStep> = fc
  .constantFrom(...sortNames)
  .map(name => ({ kind: 'sort' as const, name }))

export const wordSteps: fc.Arbitrary<OracleStep> = fc
  .constantFrom(...words, 'nowhere')
  .map(word => ({ kind: 'words' as const, word }))

/** One to five steps, in any order. */
export const stacks = (documents: readonly TestDocument[]): fc.Arbitrary<OracleStep[]> =>
  fc.array(
    fc.oneof(
      { weight: 4, arbitrary: narrowingSteps(documents) },
      { weight: 2, arbitrary: wordSteps },
      { weight: 2, arbitrary: sortSteps },
      { weight: 1, arbitrary: fc.constant<OracleStep>({ kind: 'all' }) },
    ),
    { minLength: 1, maxLength: 5 },
  )
