import { ApiError, queryApi, UnexpectedReplyError } from '@querent/client'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import type { Command } from 'commander'
import { define, option, wholeNumber } from '#command-line/define'
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
    define(
      'search',
      'Search one endpoint of an API, and show the results as a table.',
      "querent search dictionary dictionary search query='large feline with stripes' --filter domain=noun.animal --count 5",
    ),
  )
    .argument('<workspace>')
    .argument('<api>')
    .argument('<endpoint>')
    .argument('[name=value...]', 'parameters of the endpoint')
    .addOption(
      option('--filter <facet=value>', 'only results with this value of a facet; repeats').argParser(
        (text: string, before: string[] | undefined) => [...(before ?? []), text],
      ),
    )
    .addOption(wholeNumber('--count <n>', 'results to show, default: 10', 1, 100))
    .addOption(wholeNumber('--offset <n>', 'results to leave out first, default: 0', 0, 10_000))
    .addOption(
      // QUERENT_CONFIG is the server's file of settings.
      option(
        '--config <name>',
        'configuration of the workspace that answers, default: default',
        'QUERENT_CONFIGURATION',
      ),
    )
    .action(
      async (
        workspace: string,
        api: string,
        endpoint: string,
        given: string[],
        _: unknown,
        command: Command,
      ) => {
        const options = command.optsWithGlobals<Options>()
        const asked = { endpoint, parameters: given.map(text => pair(text, 'a parameter')) }
        const filters = (options.filter ?? []).map(text => pair(text, '--filter'))
        const { baseUrl, tokenFor } = await connect(options, options)
        const onIgnoredParameters = (names: string) =>
          note(`the server ignored the query parameters ${names}`)
        const queries = queryApi({ baseUrl, token: tokenFor(), onIgnoredParameters }, workspace, api)
        const { config, count, offset } = options
        const expected = <Reply>(reply: Reply, isOne: boolean): Reply => {
          if (!isOne) throw new UnexpectedReplyError(baseUrl, 'a query service')
          return reply
        }
        try {
          const about = filters.length === 0 ? undefined : await queries.about()
          const stack = about ? stacked(expected(about, isAbout(about)), asked, filters) : [asked]
          if (options.json) {
            const results = await queries.results(stack, { config, count, offset })
            return print(options, { json: expected(results, isResults(results)), text: '' })
          }
          const reply = await queries.resultsCount(stack, { config, count, offset })
          const [results, { total }] = expected(reply, isResultsCount(reply))
          print(options, { json: results, text: resultsTable(results, total) })
        } catch (error) {
          throw error instanceof ApiError ? asTyped(error) : error
        }
      },
    )

/** What the service says of a path, as it is typed here. */
const asTyped = (error: ApiError): Error =>
  error.code === 'bad-parameter' && error.errors.length === 0
    ? new UsageError(error.message.replace(/\/p\/([^/]+)\/\{value\}/g, '$1=…'))
    : error

/** `name=value`; the value may hold more equals signs and may be empty. */
const pair = (text: string, what: string): { name: string; value: string } => {
  const at = text.indexOf('=')
  if (at <= 0) throw new UsageError(`${what} is written name=value: found "${text}"`)
  return { name: text.slice(0, at), value: text.slice(at + 1) }
}

/** Filters refine what stands before them; but a facet must stand last (query-service.md, What endpoints are). */
const stacked = (
  { endpoints }: ApiDescription,
  asked: StackedEndpoint,
  filters: { name: string; value: string }[],
): StackedEndpoint[] => {
  const narrowed = filters.map(({ name, value }) => {
    const endpoint = `${name}:FILTER`
    const described =
      endpoints.find(each => each.name === endpoint) ?? endpoints.find(each => each.name === name)
    const parameter = described?.parameters[0]?.name ?? 'value'
    return { endpoint, parameters: [{ name: parameter, value }] }
  })
  const isFacet = endpoints.some(({ name, kind }) => name === asked.endpoint && kind === 'facet')
  return isFacet ? [...narrowed, asked] : [asked, ...narrowed]
}

// What is used of replies. By hand: a validator would take a third of the command's time to load.
const isAbout = (found: unknown): boolean =>
  isListOf(
    membersOf(found).endpoints,
    ({ name, kind, parameters }) =>
      typeof name === 'string' &&
      typeof kind === 'string' &&
      isListOf(parameters, parameter => typeof parameter.name === 'string'),
  )

const isResultsCount = (found: unknown): boolean =>
  Array.isArray(found) && isResults(found[0]) && typeof membersOf(found[1]).total === 'number'

const isResults = (found: unknown): boolean => {
  const { offset, items } = membersOf(found)
  const isItem = ({ rank, probability, tuple }: Members) =>
    typeof rank === 'number' && typeof probability === 'number' && isListOf(tuple, isEntity)
  const isEntity = ({ id, attributes }: Members) => typeof id === 'string' && attributes instanceof Object
  return typeof offset === 'number' && isListOf(items, isItem)
}

type Members = Record<string, unknown>

const membersOf = (found: unknown): Members => ({ ...Object(found) })

const isListOf = (found: unknown, isOne: (each: Members) => boolean): boolean =>
  Array.isArray(found) && found.every(each => isOne(membersOf(each)))
