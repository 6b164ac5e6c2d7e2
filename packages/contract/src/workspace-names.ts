/** Schemas of the names and titles in a workspace file. */
import { slugPattern } from './manage/fields.ts'
import { Type } from './schema.ts'

export const closed = { additionalProperties: false } as const
export const Slug = Type.String({ pattern: slugPattern })
/** Names of collections, APIs, endpoints, configurations and parameters. The colon is reserved for `facet:FILTER`. */
export const namePattern = '^[A-Za-z0-9_-]{1,63}$'
/** An endpoint, or the filter of a facet: `facet:FILTER`. */
export const filterNamePattern = '^[A-Za-z0-9_-]{1,63}(:FILTER)?$'
export const namedRecord = <T extends Parameters<typeof Type.Record>[1]>(value: T, maxProperties: number) =>
  Type.Record(Type.String({ pattern: namePattern }), value, { ...closed, maxProperties })
export const Title = Type.String({ minLength: 1, maxLength: 200 })
export const FieldName = Type.String({ minLength: 1, maxLength: 200 })
/** A name of a field as a key: the name of a column may have line breaks. */
export const FieldKey = Type.String({ pattern: '^[\\s\\S]*$' })
export const ParameterName = Type.String({ pattern: namePattern })
/** Words of the query path, which no endpoint can have as its name. */
export const reservedEndpointNames: readonly string[] = ['e', 'p', 'options']

/**
 * Names of applications and System-to-System accounts. People name them, so spaces and other scripts are allowed, but no control characters and no blanks at
 * the ends. JSON Schema checks only the pattern of keys, so the pattern has the length.
 */
export const accountNamePattern = '^(?! )(?!.* $)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]{1,200}$'
export const AccountName = Type.String({ pattern: accountNamePattern })
