/** Runs a tool: reads its arguments, makes the paths of queries from them, and returns their answers as structured content and as text. */
import type { CallToolRequestParams, CallToolResult } from '@modelcontextprotocol/server'
import type { ErrorReply } from '@querent/contract/errors'
import { listNames } from '@querent/contract/nearest-names'
import { type StackedEndpoint, writeStack } from '@querent/contract/paths'
import type { Options, Results, Statistics } from '@querent/contract/query'
import { queryOptions, type ToolOptionName, toolOptionNames } from '@querent/contract/query-options'
import { writeFilterValue, writeTupleList } from '@querent/contract/tuple-list'
import { readString } from '#http/large-text'
import { type BatchScope, type QueryAnswer, runQueries } from '#query/batch'
import type { CollectionView } from '#query/plan/collection-view'
import { listsOptions, type Parameter, type Step } from '#query/plan/step'
import { type FacetChoice, filterByChoice } from './facet-choices.ts'
import { writeReadableText } from './readable-text.ts'
import type { ToolResults } from './tool-results.ts'
import { type ApiTool, describeTools, facetsMax } from './tools.ts'

/** A message for the model, so that it can correct its call. */
class ArgumentError extends Error {}

/** Names in a message. */
const namesShownMax = 50

/** Values of a facet that a call returns. */
const facetValues = 20

type Arguments = Readonly<Record<string, unknown>>

/** Wrong arguments and failed queries are results with `isError`, not errors of the protocol (query-service.md, MCP). */
export const callTool = async (
  scope: BatchScope,
  { name, arguments: given = {} }: CallToolRequestParams,
): Promise<CallToolResult> => {
  // A parameter may be called `constructor`.
  const args: Arguments = Object.assign(Object.create(null), given)
  try {
    const { byName } = describeTools(scope.caller.api)
    const apiTool = byName.get(name)
    if (!apiTool)
      throw new ArgumentError(
        `there is no tool ${show(name)}: the tools are ${listNames(byName.keys(), namesShownMax)}`,
      )
    const results = await runTool(scope, apiTool, args)
    return {
      content: [
        { type: 'text', text: writeReadableText(results, { hasAttributes: hasAttributes(apiTool) }) },
      ],
      structuredContent: { ...results },
    }
  } catch (error) {
    if (error instanceof ArgumentError)
      return { isError: true, content: [{ type: 'text', text: error.message }] }
    throw error
  }
}

/** Attributes are what a fetched document and a value of a facet consist of. Other results are lists to choose from. */
const hasAttributes = ({ starts: [start] }: ApiTool): boolean =>
  start !== undefined && (start.kind === 'lookup' || listsOptions(start))

const runTool = async (scope: BatchScope, tool: ApiTool, args: Arguments): Promise<ToolResults> => {
  refuseUnknownArguments(tool, args)
  const { options, starts } = tool
  const queryValues = new Map(
    toolOptionNames.map(name => [
      name,
      options.has(name) ? readInteger(args, name) : queryOptions[name].default,
    ]),
  )
  const refinements = options.has('filters') ? readFilters(scope, tool, args.filters) : []
  const sort = options.has('sort') ? readChoice('sort', args.sort, tool.sorts) : undefined
  if (sort !== undefined) refinements.push({ endpoint: sort, parameters: [] })
  const facets = options.has('facets') ? readFacets(tool, args.facets) : []
  const isLookup = starts[0]?.kind === 'lookup'
  let empty: ToolResults | undefined
  for (const step of starts) {
    const parameters = isLookup ? readId(step, args) : readParameters(step, args)
    const stack = [{ endpoint: step.name, parameters }, ...refinements]
    const collection = step.collection ?? tool.collection
    const results = await search(scope, { stack, queryValues, facets, collection })
    if (results.items.length > 0) return results
    empty ??= results
  }
  if (isLookup) throw new ArgumentError(`there is no document with the id ${JSON.stringify(args.id)}`)
  return empty ?? { total: 0, offset: queryValues.get('offset') ?? 0, items: [] }
}

interface Search {
  stack: readonly StackedEndpoint[]
  queryValues: ReadonlyMap<ToolOptionName, number>
  facets: readonly FacetChoice[]
  collection: string
}

const search = async (scope: BatchScope, { stack, queryValues, facets, collection }: Search) => {
  const path = writeStack(stack)
  // The configuration that the URL of the server names holds for all calls.
  const config = new URLSearchParams(scope.reply.url.split('?')[1]).get('config')
  const common = config === null ? '' : `&config=${encodeURIComponent(config)}`
  const values = [...queryValues].map(([name, value]) => `${name}=${value}`).join('&')
  const [found, ...optionAnswers] = await runQueries(scope, [
    `${path}/results,count?${values}&highlight=true${common}`,
    ...facets.map(facet => `${countValues(stack, facet)}?count=${facetValues}${common}`),
  ])
  // Both are the contract's replies.
  const [results, statistics] = readAnswer(found) as [Results & { degraded?: string[] }, Statistics]
  const facetResults = facets.map((facet, index) => describeFacet(facet, readAnswer(optionAnswers[index])))
  const view = scope.caller.api.views.get(collection)
  return {
    total: statistics.total,
    offset: results.offset,
    items: results.items.flatMap(({ rank, probability, tuple, highlights, collapsed }) =>
      // A facet may have a second column, its count.
      tuple.slice(0, 1).map(({ id, class: classes, attributes }) => ({
        rank,
        probability,
        id,
        title: readTitle(view, id, attributes),
        class: classes,
        attributes: omitVectors(view, attributes),
        ...(highlights && { highlights }),
        ...(collapsed && {
          collapsed: {
            ...collapsed,
            others: collapsed.others.map(other => ({
              id: other.id,
              title: readTitle(view, other.id, other.attributes),
            })),
          },
        }),
      })),
    ),
    ...(facets.length > 0 && {
      facets: Object.fromEntries(facetResults),
    }),
    ...(results.didYouMean !== undefined && { didYouMean: results.didYouMean }),
    ...(results.relaxed && { relaxed: results.relaxed }),
    ...(results.degraded && { degraded: results.degraded }),
  }
}

/** Thousands of numbers would fill the context of a model and tell it nothing. */
const omitVectors = (view: CollectionView | undefined, attributes: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => view?.fields.get(name)?.type !== 'vector'))

/** Returns the path of the values of a facet. The chosen field is a parameter of the facet alone, so it ends the stack. */
const countValues = (stack: readonly StackedEndpoint[], { facet, field }: FacetChoice): string =>
  field
    ? `${writeStack([...stack, { endpoint: facet, parameters: [field] }])}/results`
    : `${writeStack(stack)}/options/${encodeURIComponent(facet)}`

type FacetResult = NonNullable<ToolResults['facets']>[string]

const describeFacet = ({ name, title, field }: FacetChoice, reply: unknown): [string, FacetResult] => {
  // Both are the contract's replies.
  if (field === undefined) {
    const { title: facetTitle, options } = reply as Options
    return [
      name,
      {
        title: facetTitle,
        options: options.map(({ value, title: optionTitle, count }) => ({
          value,
          title: optionTitle,
          count,
        })),
      },
    ]
  }
  const options = (reply as Results).items.flatMap(({ tuple: [option] }) =>
    option
      ? [{ value: option.id, title: String(option.attributes.title), count: Number(option.attributes.count) }]
      : [],
  )
  return [name, { title, options }]
}

const readAnswer = (answer: QueryAnswer | undefined): unknown => {
  if (!answer) throw new Error('a query has no answer')
  const body: unknown = JSON.parse(readString(answer.body))
  if (answer.status === 200) return body
  // The contract's error reply.
  const { code, message } = body as ErrorReply
  if (code === 'url-too-long')
    throw new ArgumentError('the arguments are too long: shorten the text, or give fewer values')
  throw new ArgumentError(message)
}

const refuseUnknownArguments = ({ tool }: ApiTool, args: Arguments): void => {
  const allowed = Object.keys(tool.inputSchema.properties ?? {})
  const unknown = Object.keys(args).filter(name => !allowed.includes(name))
  if (unknown.length > 0)
    throw new ArgumentError(
      `the tool ${tool.name} has no argument ${listNames(unknown.map(show))}: its arguments are ${listNames(allowed, namesShownMax)}`,
    )
}

const readInteger = (args: Arguments, name: ToolOptionName): number => {
  const { min, max, default: defaultValue } = queryOptions[name]
  const value = args[name] ?? defaultValue
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
  throw new ArgumentError(`${name} must be a whole number from ${min} to ${max}, not ${show(value)}`)
}

const readChoice = (name: string, value: unknown, allowed: readonly string[]): string | undefined => {
  if (isAbsent(value)) return undefined
  if (typeof value === 'string' && allowed.includes(value)) return value
  throw new ArgumentError(`${name} must be one of ${listNames(allowed, namesShownMax)}, not ${show(value)}`)
}

const readFacets = ({ facets }: ApiTool, value: unknown): FacetChoice[] => {
  if (isAbsent(value)) return []
  const names = facets.map(({ name }) => name)
  if (!Array.isArray(value) || value.length > facetsMax)
    throw new ArgumentError(
      `facets must be a list of at most ${facetsMax} of ${listNames(names, namesShownMax)}`,
    )
  const chosen = new Set(value.map(item => readChoice('each of facets', item, names)))
  return facets.filter(({ name }) => chosen.has(name))
}

const readFilters = (scope: BatchScope, { facets }: ApiTool, value: unknown): StackedEndpoint[] => {
  if (isAbsent(value)) return []
  if (typeof value !== 'object' || Array.isArray(value))
    throw new ArgumentError(
      `filters must be an object of facets and their values, such as {"${facets[0]?.name}": ["…"]}`,
    )
  const names = facets.map(({ name }) => name)
  return Object.entries(value).flatMap(([name, given]) => {
    readChoice('each name in filters', name, names)
    const values: unknown[] = Array.isArray(given) ? given : [given]
    if (values.length === 0 || !values.every(isScalar) || !values.join('').isWellFormed())
      throw new ArgumentError(
        `filters.${name} must be a list of texts, numbers or booleans, not ${show(given)}`,
      )
    const facet = facets.find(choice => choice.name === name)
    return facet ? [filterByChoice(scope.caller.api, facet, writeAlternatives(values.map(String)))] : []
  })
}

const writeAlternatives = (values: readonly string[]): string => {
  const [only, ...others] = values
  if (only !== undefined && others.length === 0) return writeFilterValue(only)
  return writeTupleList([...new Set(values)].map(value => ({ score: 1, values: [value] })))
}

/** Models also write null for an argument that they leave out. */
const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value))

const readParameters = (step: Step, args: Arguments): StackedEndpoint['parameters'] =>
  step.parameters.flatMap(parameter => {
    const value = args[parameter.name]
    if (isAbsent(value)) {
      if (parameter.required) throw new ArgumentError(`the argument ${parameter.name} is missing`)
      return []
    }
    return [{ name: parameter.name, value: readValue(step, parameter, value) }]
  })

const readId = (step: Step, { id }: Arguments): StackedEndpoint['parameters'] => {
  const [parameter] = step.parameters
  if (!parameter) throw new Error('a lookup has a parameter')
  if (typeof id !== 'string' || id === '')
    throw new ArgumentError('the argument id must be a text that is not empty')
  return [{ name: parameter.name, value: readValue(step, parameter, id) }]
}

/** Kinds that read a value as a tuple list. Their values are literal: one that looks like a tuple list is quoted. */
const tupleListKinds: ReadonlySet<Step['kind']> = new Set(['filter', 'lookup', 'any', 'together'])

const readValue = (step: Step, { name, type }: Parameter, value: unknown): string => {
  if (type === 'vector' && Array.isArray(value) && value.every(part => typeof part === 'number'))
    return value.join(',')
  if (!isScalar(value)) throw new ArgumentError(`the argument ${name} must be a ${type}, not ${show(value)}`)
  const text = String(value)
  if (!text.isWellFormed()) throw new ArgumentError(`the argument ${name} is not well-formed Unicode`)
  return tupleListKinds.has(step.kind) ? writeFilterValue(text) : text
}

const show = (value: unknown): string => JSON.stringify(value)?.slice(0, 100) ?? 'nothing'

/** Names that usually hold a title, in this order. */
const usualNames = ['title', 'name', 'label', 'heading', 'subject']

/** Returns the value of the field that looks like a title, of the first text field otherwise, or the id. */
const readTitle = (
  view: CollectionView | undefined,
  id: string,
  attributes: Readonly<Record<string, unknown>>,
): string => {
  const textFields = [...(view?.fields ?? [])].flatMap(([name, { type }]) => (type === 'text' ? [name] : []))
  for (const name of [...usualNames, ...textFields]) {
    const value = attributes[name]
    const first: unknown = Array.isArray(value) ? value[0] : value
    if (typeof first === 'string' && first.trim() !== '') return first
  }
  return id
}
