/** Completion for the workspace file: keys and values of its JSON Schema, names that the file declares, and snippets. */

import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from '@codemirror/autocomplete'
import workspaceSchema from '@querent/contract/workspace-file.schema.json'
import { t } from '#i18n/translate.ts'
import { listDeclaredNames } from './declared-names.ts'
import { describeTypes, findSchemas, listValues, type Schema } from './schema-lookup.ts'
import { findSnippets } from './snippets.ts'
import { listKeys, readContext, type YamlContext } from './yaml-context.ts'

export const schema: Schema = workspaceSchema

/** Offers what can be written at the cursor; null if nothing is known. */
export const completeWorkspaceFile = ({
  state,
  pos: cursor,
  explicit,
}: CompletionContext): CompletionResult | null => {
  const text = state.doc.toString()
  const place = readContext(text, cursor)
  if (!place) return null
  // An empty value opens the list by itself: few values fit. Keys wait for a letter or for Ctrl-Space.
  if (cursor === place.from && !explicit && place.position === 'key') return null
  const hasColon = /^[\w-]*\s*:/.test(text.slice(cursor, state.doc.lineAt(cursor).to))
  const options = place.position === 'key' ? completeKeys(text, place, hasColon) : completeValues(text, place)
  return options.length > 0 ? { from: place.from, options, validFor: /^[\w-]*$/ } : null
}

const completeKeys = (text: string, { path, scalars }: YamlContext, hasColon: boolean): Completion[] => {
  const schemas = findSchemas(schema, path, scalars)
  const writtenKeys = new Set([...(scalars.at(-1)?.keys() ?? []), ...listWrittenKeys(text, path)])
  const keys = new Map(schemas.flatMap(({ properties }) => Object.entries(properties ?? {})))
  const required = new Set(schemas.flatMap(({ required: names = [] }) => names))
  const completions = [...keys]
    .filter(([key]) => !writtenKeys.has(key))
    .map(
      ([key, child]): Completion => ({
        label: key,
        type: 'property',
        apply: hasColon ? key : `${key}: `,
        detail: required.has(key) ? t('required') : describeTypes([child]),
        boost: required.has(key) ? 1 : 0,
        ...(child.description ? { info: child.description } : {}),
      }),
    )
  return [...completions, ...(hasColon ? [] : completeSnippets(path))]
}

/** Returns the keys of the mapping at a path, also those below the cursor. Items of lists can't be told apart by their path. */
const listWrittenKeys = (text: string, path: readonly string[]): string[] =>
  path.includes('[]')
    ? []
    : listKeys(text)
        .filter(key => key.length === path.length + 1 && path.every((step, depth) => step === key[depth]))
        .map(key => key.at(-1) ?? '')

const completeValues = (text: string, place: YamlContext): Completion[] => {
  const { path, scalars } = place
  const schemas = findSchemas(schema, path, scalars)
  const examples = schemas.flatMap(({ examples: list = [] }) => list.map(String))
  const values = [...new Set([...schemas.flatMap(listValues), ...examples])]
  const names = listDeclaredNames(text, place)
  const isListItem = path.at(-1) === '[]'
  return [
    ...values.map(label => ({ label, type: 'constant' })),
    ...names.filter(name => !values.includes(name)).map(label => ({ label, type: 'variable' })),
    // An item of a list of mappings begins with a key.
    ...(isListItem && values.length === 0 && names.length === 0
      ? completeKeys(text, { ...place, scalars: [...scalars, new Map()] }, false)
      : []),
  ]
}

const completeSnippets = (path: readonly string[]): Completion[] =>
  findSnippets(path).map(({ label, detail, template }) =>
    snippetCompletion(template, { label, detail, type: 'text' }),
  )
