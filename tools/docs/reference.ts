/** Pages of the reference, generated from the code: settings, commands, workspace file, and both APIs. */
import { workspaceFileJsonSchema } from '@querent/contract/workspace-file-json-schema'
import type { Command } from 'commander'
import { program } from '#cli/program'
import { settingNames, settings } from '#server/config/settings'
import { documentPaths } from '#server/documents/openapi'
import { managementOpenApi } from '#server/manage/openapi'
import { serviceOpenApi } from '#server/query/openapi/service-document'
import { code, codeBlock, table } from './markdown.ts'
import { type OpenApiDocument, writeOpenApiPage } from './openapi-page.ts'
import { alternatives, describeType, type JsonSchema } from './schema-text.ts'

const baseUrl = '{base_url}'
const authUrl = '{auth_url}'

/** Returns the Markdown of each page by its path in docs/. */
export const writeReference = async (): Promise<Record<string, string>> => ({
  'reference/settings.md': writeSettings(),
  'reference/commands.md': await writeCommands(),
  'reference/workspace-file.md': writeWorkspaceFile(),
  'reference/query-api.md': writeOpenApiPage(
    plainData(serviceOpenApi({ baseUrl, authUrl }, documentPaths())),
    'Query API',
    `The query service describes itself at \`{base_url}/4/openapi.json\`, and each API at \`{base_url}/4/{workspace}/api/{api}/openapi.json\`. This page is made from the first. [Query](../query.md) explains queries with examples, and [Errors](../errors.md) the replies with 4xx and 5xx.`,
  ),
  'reference/management-api.md': writeOpenApiPage(
    plainData(managementOpenApi(authUrl)),
    'Management API',
    `The address is \`{auth_url}/manage/v1\`. Access tokens have the audience \`{auth_url}/manage/\`. Errors have the body \`ErrorReply\` ([Errors](../errors.md)). This page is made from \`{auth_url}/manage/v1/openapi.json\`.\n\n**Permission** says who may call an operation: \`administer\` administrators of the workspace, \`edit\` also members with the role \`user\`, \`look\` also those with the role \`api\`.`,
  ),
})

/** The documents are built of schema objects with more than JSON has. */
const plainData = (document: unknown): OpenApiDocument =>
  JSON.parse(JSON.stringify(document)) as OpenApiDocument

const writeSettings = (): string => {
  const rows = settingNames.map(name => {
    const { flag, environment, default: fallback, defaultText, unit, description } = settings[name]
    const value = defaultText ?? (fallback === undefined ? 'none' : String(fallback))
    return [
      code(name),
      flag ? code(flag.split(' ')[0] ?? '') : '',
      code(environment),
      `${value}${unit ? ` ${unit}` : ''}`,
      description,
    ]
  })
  return `# Settings

Set a setting in the configuration file, in the environment, or by a flag of \`querent serve\`. Flags win over the environment, and the environment
over the file. \`querent serve --print-config\` shows each value and its source. [Operate](../operate.md) explains the important ones.

${table(['in the file', 'flag', 'environment variable', 'default', 'does'], rows)}`
}

const leafCommands = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leafCommands)

const commandPath = (command: Command): string =>
  command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name()

/** Returns the text of `--help`, without the part that all commands share. */
const readHelp = (command: Command): string => {
  const parts: string[] = []
  command.configureOutput({ writeOut: text => void parts.push(text), getOutHelpWidth: () => 100 })
  command.outputHelp()
  return parts.join('').replace(/\nGlobal Options:\n(?: .*\n)+/, '')
}

const writeCommands = async (): Promise<string> => {
  const names = (await program([])).commands.map(command => command.name())
  const root = await program(names)
  const sections = leafCommands(root).map(
    command => `## ${commandPath(command)}\n\n${codeBlock('text', readHelp(command))}`,
  )
  const options = root.createHelp().visibleOptions(root)
  return `# Commands

\`npx querent --help\` prints the commands, and \`--help\` after a command this text. These options belong to every command:

${table(
  ['option', 'does'],
  options.map(option => [code(option.flags), option.description]),
)}
${sections.join('\n')}`
}

interface Key {
  path: string
  types: Set<string>
  description: string
}

const writeWorkspaceFile = (): string => {
  // Its result is plain data.
  const schema = workspaceFileJsonSchema() as JsonSchema
  const sections = Object.entries(schema.properties ?? {}).map(([name, inner]) => {
    const keys = new Map<string, Key>()
    collectKeys(inner, name, '', keys)
    const rows = [...keys.values()].map(({ path, types, description }) => [
      code(path),
      [...types].filter(type => type !== 'object').join(' or '),
      description,
    ])
    return `## ${name}\n\n${table(['key', 'value', 'meaning'], rows)}`
  })
  return `# Workspace file

All keys of the workspace file. \`*\` stands for a name that you choose, and \`[]\` for each item of a list. \`querent schema\` prints the JSON Schema for your editor.
[Describe your search](../describe-your-search.md) explains the file with examples.

${sections.join('\n')}`
}

/** Collects a schema and those inside it by their path. Endpoints of each kind have paths of their own. */
const collectKeys = (schema: JsonSchema, path: string, kind: string, keys: Map<string, Key>): void => {
  const choices = alternatives(schema)
  const kinds = choices.map(choice => choice.properties?.kind?.const)
  const isByKind = kinds.some(value => value !== undefined)
  if (!isByKind) {
    const key = keys.get(path) ?? { path, types: new Set<string>(), description: schema.description ?? '' }
    keys.set(path, key)
    key.types.add(describeType(schema))
  }
  for (const [index, choice] of choices.entries()) {
    const name = kinds[index]
    if (name === undefined) collectInside(choice, path, kind, keys)
    else collectInside(choice, `${path} (${name})`, String(name), keys)
  }
  collectInside(schema, path, kind, keys)
}

const collectInside = (schema: JsonSchema, path: string, kind: string, keys: Map<string, Key>): void => {
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    collectKeys(inner, `${path}.${name}`, kind, keys)
  for (const inner of Object.values(schema.patternProperties ?? {}))
    collectKeys(inner, `${path}.*`, kind, keys)
  if (
    schema.items &&
    alternatives(schema.items).length + Object.keys(schema.items.properties ?? {}).length > 0
  )
    collectInside({ ...schema.items, ...merged(schema.items) }, `${path}[]`, kind, keys)
}

/** The properties of all alternatives together. */
const merged = (schema: JsonSchema): JsonSchema => ({
  properties: Object.assign({}, ...alternatives(schema).map(choice => choice.properties), schema.properties),
})
