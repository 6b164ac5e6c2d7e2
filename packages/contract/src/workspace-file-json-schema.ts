/** JSON Schema of the workspace file, for editors. The committed `workspace-file.schema.json` equals it (see the test). */
import { WorkspaceFile } from './workspace-file.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/**
 * Returns the schema of a workspace file as plain data, JSON Schema draft 2020-12. Unions by `kind` (endpoints) are `oneOf`, so that editors
 * show the errors of the kind in the file.
 */
export const workspaceFileJsonSchema = (): { [key: string]: Json } => {
  // TypeBox adds properties of its own, which JSON drops.
  const schema: { [key: string]: Json } = JSON.parse(JSON.stringify(WorkspaceFile))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Workspace file of Querent',
    ...discriminateUnions(schema),
  }
}

const discriminateUnions = (schema: { [key: string]: Json }): { [key: string]: Json } =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword === 'anyOf' && Array.isArray(value) && value.every(hasKind) ? 'oneOf' : keyword,
      discriminateUnionsInside(value),
    ]),
  )

const discriminateUnionsInside = (value: Json): Json =>
  Array.isArray(value)
    ? value.map(discriminateUnionsInside)
    : isObject(value)
      ? discriminateUnions(value)
      : value

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const hasKind = (branch: Json): boolean => {
  const properties = isObject(branch) ? branch.properties : undefined
  const kind = isObject(properties) ? properties.kind : undefined
  return isObject(kind) && 'const' in kind
}
