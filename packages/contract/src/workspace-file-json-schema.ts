/** JSON Schema of the workspace file, for editors. The committed `workspace-file.schema.json` equals it (see the test). */
import { WorkspaceFile } from './workspace-file.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/**
 * The schema of a workspace file as plain data, JSON Schema draft 2020-12. Unions that are told apart by `kind` (endpoints) are `oneOf`,
 * so that editors show the errors of the kind that was written.
 */
export const workspaceFileJsonSchema = (): { [key: string]: Json } => {
  // Through text: TypeBox keeps marks of its own in properties that JSON leaves out.
  const schema: { [key: string]: Json } = JSON.parse(JSON.stringify(WorkspaceFile))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Workspace file of Querent',
    ...told(schema),
  }
}

const told = (schema: { [key: string]: Json }): { [key: string]: Json } =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword === 'anyOf' && Array.isArray(value) && value.every(isOfKind) ? 'oneOf' : keyword,
      toldInside(value),
    ]),
  )

const toldInside = (value: Json): Json =>
  Array.isArray(value) ? value.map(toldInside) : isObject(value) ? told(value) : value

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isOfKind = (branch: Json): boolean => {
  const properties = isObject(branch) ? branch.properties : undefined
  const kind = isObject(properties) ? properties.kind : undefined
  return isObject(kind) && 'const' in kind
}
