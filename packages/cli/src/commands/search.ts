import { ApiError, queryApi, UnexpectedReplyError } from '@querent/client'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { About } from '@querent/contract/query'
import type { Command } from 'commander'
import { define, option, wholeNumber } from '#command-line/define'
import { UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { withAccount } from '#connection/account-options'
import { type AccountOptions, connect } from '#connection/connect'
import { print } from '#terminal/output'
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
        const queries = queryApi({ baseUrl, token: tokenFor() }, workspace, api)
        const { config, count, offset } = options
        try {
          const stack = filters.length === 0 ? [asked] : stacked(await queries.about(), asked, filters)
          if (options.json) {
            const results = await queries.results(stack, { config, count, offset })
            if (!Array.isArray(results.items)) throw new TypeError('no items')
            return print(options, { json: results, text: '' })
          }
          const [results, { total }] = await queries.resultsCount(stack, { config, count, offset })
          print(options, { json: results, text: resultsTable(results, total) })
        } catch (error) {
          // What the service says of paths, as it is typed here.
          const missing =
            error instanceof ApiError && /^(.* is missing: write )\/p\/([^/]+)\//.exec(error.message)
          if (missing) throw new UsageError(`${missing[1]}${missing[2]}=…`)
          // What a table is made of is not there.
          if (error instanceof TypeError) throw new UnexpectedReplyError(baseUrl, 'a query service', error)
          throw error
        }
      },
    )

/** `name=value`; the value may hold more equals signs and may be empty. */
const pair = (text: string, what: string): { name: string; value: string } => {
  const at = text.indexOf('=')
  if (at <= 0) throw new UsageError(`${what} is written name=value: found "${text}"`)
  return { name: text.slice(0, at), value: text.slice(at + 1) }
}

/** Filters refine what stands before them; but a facet must stand last (query-service.md, What endpoints are). */
const stacked = (
  { endpoints }: About,
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
