import { ApiError, queryApi, UnexpectedReplyError } from '@querent/client'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import type { Command } from 'commander'
import { defineCommand, integerOption, option } from '#command-line/define'
import { UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { withAccount } from '#connection/account-options'
import { type AccountOptions, connect } from '#connection/connect'
import { note, print } from '#terminal/output'
import { resultsTable } from '#terminal/results-table'

interface Options extends Globals, AccountOptions {
  filter?: string[]
  count?: number
  offset?: number
  config?: string
}

export const search = (): Command =>
  withAccount(
    defineCommand(
      'search',
      'Search an endpoint of an API and show the results as a table.',
      "querent search dictionary dictionary search query='large feline with stripes' --filter domain=noun.animal --count 5",
    ),
  )
    .argument('<workspace>')
    .argument('<api>')
    .argument('<endpoint>')
    .argument('[name=value...]', 'parameters of the endpoint')
    .addOption(
      option('--filter <facet=value>', 'only results with this value of a facet; may be repeated').argParser(
        (text: string, previous: string[] | undefined) => [...(previous ?? []), text],
      ),
    )
    .addOption(integerOption('--count <n>', 'results to show (default: 10)', 1, 100))
    .addOption(integerOption('--offset <n>', 'results to skip (default: 0)', 0, 10_000))
    .addOption(
      // QUERENT_CONFIG names the server's configuration file.
      option(
        '--config <name>',
        'configuration of the workspace to search (default: default)',
        'QUERENT_CONFIGURATION',
      ),
    )
    .action(
      async (
        workspace: string,
        api: string,
        endpoint: string,
        words: string[],
        _: unknown,
        command: Command,
      ) => {
        const options = command.optsWithGlobals<Options>()
        const request = { endpoint, parameters: words.map(text => parsePair(text, 'a parameter')) }
        const filters = (options.filter ?? []).map(text => parsePair(text, '--filter'))
        const { baseUrl, tokenFor } = await connect(options, options)
        const onIgnoredParameters = (names: string) =>
          note(`the server ignored the query parameters ${names}`)
        const queries = queryApi({ baseUrl, token: tokenFor(), onIgnoredParameters }, workspace, api)
        const { config, count, offset } = options
        const expected = <Reply>(reply: Reply, isItem: boolean): Reply => {
          if (!isItem) throw new UnexpectedReplyError(baseUrl, 'a query service')
          return reply
        }
        try {
          const description = filters.length === 0 ? undefined : await queries.about()
          const stack = description
            ? buildStack(expected(description, isDescription(description)), request, filters)
            : [request]
          if (options.json) {
            const results = await queries.results(stack, { config, count, offset })
            return print(options, { json: expected(results, isResults(results)), text: '' })
          }
          const reply = await queries.resultsCount(stack, { config, count, offset })
          const [results, { total }] = expected(reply, isResultsCount(reply))
          print(options, { json: results, text: resultsTable(results, total) })
        } catch (error) {
          throw error instanceof ApiError ? restateInput(error) : error
        }
      },
    )

/** Rewrites an error about a query path in terms of the command's arguments. */
const restateInput = (error: ApiError): Error =>
  error.code === 'bad-parameter' && error.errors.length === 0
    ? new UsageError(error.message.replace(/\/p\/([^/]+)\/\{value\}/g, '$1=…'))
    : error

/** Parses `name=value`. The value may contain equals signs and may be empty. */
const parsePair = (text: string, label: string): { name: string; value: string } => {
  const equalsIndex = text.indexOf('=')
  if (equalsIndex <= 0) throw new UsageError(`${label} must have the form name=value: found "${text}"`)
  return { name: text.slice(0, equalsIndex), value: text.slice(equalsIndex + 1) }
}

/** Puts filters after the endpoint that they refine, but a facet last, as docs/query.md requires. */
const buildStack = (
  { endpoints }: ApiDescription,
  request: StackedEndpoint,
  filters: { name: string; value: string }[],
): StackedEndpoint[] => {
  const filterEndpoints = filters.map(({ name, value }) => {
    const endpoint = `${name}:FILTER`
    const described =
      endpoints.find(candidate => candidate.name === endpoint) ??
      endpoints.find(candidate => candidate.name === name)
    const parameter = described?.parameters[0]?.name ?? 'value'
    return { endpoint, parameters: [{ name: parameter, value }] }
  })
  const isFacet = endpoints.some(
    ({ name, kind }) => name === request.endpoint && (kind === 'facet' || kind === 'facets'),
  )
  return isFacet ? [...filterEndpoints, request] : [request, ...filterEndpoints]
}

// These checks are written by hand, because loading a validator would take a third of the command's time.
const isDescription = (value: unknown): boolean =>
  isArrayWhere(
    asRecord(value).endpoints,
    ({ name, kind, parameters }) =>
      typeof name === 'string' &&
      typeof kind === 'string' &&
      isArrayWhere(parameters, parameter => typeof parameter.name === 'string'),
  )

const isResultsCount = (value: unknown): boolean =>
  Array.isArray(value) && isResults(value[0]) && typeof asRecord(value[1]).total === 'number'

const isResults = (value: unknown): boolean => {
  const { offset, items } = asRecord(value)
  const isItem = ({ rank, probability, tuple }: UnknownRecord) =>
    typeof rank === 'number' && typeof probability === 'number' && isArrayWhere(tuple, isEntity)
  const isEntity = ({ id, attributes }: UnknownRecord) =>
    typeof id === 'string' && attributes instanceof Object
  return typeof offset === 'number' && isArrayWhere(items, isItem)
}

type UnknownRecord = Record<string, unknown>

const asRecord = (value: unknown): UnknownRecord => ({ ...Object(value) })

const isArrayWhere = (value: unknown, isItem: (candidate: UnknownRecord) => boolean): boolean =>
  Array.isArray(value) && value.every(candidate => isItem(asRecord(candidate)))
