import { type ApiTypes, queryApi } from '@querent/client'
import type { ApiDescription } from '@querent/contract/query'
import type { Collection, WorkspaceFile } from '@querent/contract/workspace-file'
import type { Command } from 'commander'
import { defineCommand } from '#command-line/define'
import type { Globals } from '#command-line/globals'
import { connect } from '#connection/connect'
import { type AttributeTypes, placeType, readAttributeTypes } from '#documents/attribute-types'
import { writeKey, writeText } from '#documents/type-text'
import { printFile } from '#terminal/output'

/** Names of one API: endpoint → parameter → type, and so on. */
interface ApiNames extends Record<keyof ApiTypes, unknown> {
  title: string
  endpoints: Record<string, Record<string, { type: 'string' | 'number'; isRequired: boolean }>>
  facets: string[]
  configurations: string[]
  attributes: AttributeTypes
}

export const types = (): Command =>
  defineCommand(
    'types',
    'Print TypeScript types of the APIs of a workspace, for queryApi of @querent/client.',
    'querent types dictionary > dictionary-apis.ts',
  )
    .argument('<workspace>')
    .action(async (workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Globals>()
      const { management, baseUrl, tokenFor } = await connect(options)
      const { source } = await management.call('exportWorkspaceFile', { params: { workspace } })
      const { parse } = await import('yaml')
      // The server checked the file when it was applied.
      const file = parse(source) as WorkspaceFile
      const apis: Record<string, ApiNames> = {}
      for (const api of Object.keys(file.apis ?? {})) {
        const description = await queryApi({ baseUrl, token: tokenFor() }, workspace, api).about()
        apis[api] = collectNames(file, description)
      }
      printFile(options, { json: apis, text: writeTypes(workspace, apis) })
    })

const collectNames = (
  file: WorkspaceFile,
  { api, title, endpoints, configurations }: ApiDescription,
): ApiNames => ({
  title,
  endpoints: Object.fromEntries(
    endpoints.map(({ name, parameters }) => [
      name,
      Object.fromEntries(
        parameters.map(({ name: parameter, type, required }) => [
          parameter,
          { type: type === 'number' ? 'number' : 'string', isRequired: required },
        ]),
      ),
    ]),
  ),
  // A facet whose field the caller chooses needs its parameter.
  facets: endpoints
    .filter(({ kind, parameters }) => kind === 'facet' && parameters.length === 0)
    .map(({ name }) => name),
  configurations,
  attributes: readAttributeTypes(findCollections(file, api)),
})

/** Collections that the API names, or all if it names none. */
const findCollections = ({ apis = {}, collections = {} }: WorkspaceFile, api: string): Collection[] => {
  const collectionNames = Object.values(apis[api]?.endpoints ?? {}).flatMap(endpoint =>
    'collection' in endpoint ? (endpoint.collection ?? []) : [],
  )
  const names = collectionNames.length > 0 ? [...new Set(collectionNames)] : Object.keys(collections)
  return names.flatMap(name => collections[name] ?? [])
}

const writeTypes = (workspace: string, apis: Readonly<Record<string, ApiNames>>): string =>
  [
    `// The APIs of the workspace ${workspace}, for queryApi of @querent/client.`,
    `// Written by \`querent types ${workspace}\`: run it again after a change of the workspace.`,
    '',
    ...(hasPlaces(apis)
      ? [
          '/** A place, as documents have it. */',
          `export type ${placeType.name} = ${placeType.definition}`,
          '',
        ]
      : []),
    `export interface ${toTypeName(workspace)} {`,
    ...Object.entries(apis).flatMap(([name, api]) => writeApi(name, api)),
    '}',
    '',
  ].join('\n')

const hasPlaces = (apis: Readonly<Record<string, ApiNames>>): boolean =>
  Object.values(apis)
    .flatMap(({ attributes }) => Object.values(attributes))
    .some(({ type }) => new RegExp(`\\b${placeType.name}\\b`).test(type))

/** `book-shop` becomes `BookShopApis`. A name of TypeScript cannot start with a digit. */
const toTypeName = (workspace: string): string => {
  const words = workspace.split('-').map(word => word.charAt(0).toUpperCase() + word.slice(1))
  return `${/^\d/.test(workspace) ? 'Workspace' : ''}${words.join('')}Apis`
}

const writeApi = (
  name: string,
  { title, endpoints, facets, configurations, attributes }: ApiNames,
): string[] => [
  `  /** ${title.replaceAll('*/', '*\\/').replace(/\s+/g, ' ')} */`,
  `  ${writeKey(name)}: {`,
  '    endpoints: {',
  ...Object.entries(endpoints).map(
    ([endpoint, parameters]) => `      ${writeKey(endpoint)}: ${writeParameters(parameters)}`,
  ),
  '    }',
  `    facets: ${writeUnion(facets)}`,
  `    configurations: ${writeUnion(configurations)}`,
  '    attributes: {',
  ...Object.entries(attributes).flatMap(([name, { type, comment }]) => [
    ...(comment ? [`      /** ${comment} */`] : []),
    `      ${writeKey(name)}?: ${type}`,
  ]),
  '    }',
  '  }',
]

const writeParameters = (parameters: ApiNames['endpoints'][string]): string => {
  const members = Object.entries(parameters).map(
    ([name, { type, isRequired }]) => `${writeKey(name)}${isRequired ? '' : '?'}: ${type}`,
  )
  return members.length === 0 ? 'Record<never, string>' : `{ ${members.join('; ')} }`
}

const writeUnion = (names: readonly string[]): string => names.map(writeText).join(' | ') || 'never'
