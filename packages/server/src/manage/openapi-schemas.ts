/** The named schemas of the management API's OpenAPI document. Generators make one type of each. */
import { ErrorPlace, ErrorReply } from '@querent/contract/errors'
import * as contract from '@querent/contract/manage'
import {
  FieldId,
  GeneratedId,
  NearId,
  PlaceAttributes,
  Proposal,
  ProposedField,
  ProposedId,
  ProposedRows,
  TypeFit,
  UnreadableDocuments,
} from '@querent/contract/proposal'
import { GroupSubject, LeakTest, LeakTestOutcome, MemberSubject } from '@querent/contract/relevance-tests'
import type { TSchema } from '@querent/contract/schema'
import { createSchemaWriter, type Schema } from '#http/openapi-schemas'

export interface ManagementSchemas {
  /** A parameter. */
  writePart(schema: TSchema): Schema
  /** The body of a request, named after the operation. */
  writeInput(operationId: string, schema: TSchema): Schema
  /** The body of a reply: named by the contract, `…List` for a page of something named, or named after the operation. */
  writeReply(operationId: string, schema: TSchema): Schema
  /** All that were written so far, and those that they refer to. */
  components(): Readonly<Record<string, Schema>>
}

/**
 * Names are those of the contract's objects. Texts to choose from have no name: OpenAPI Generator for Go makes constants of named ones, and two
 * of them often have a text in common.
 */
const isNamed = (name: string, value: unknown): boolean =>
  /^[A-Z]/.test(name) && !name.endsWith('Params') && Object(value).type === 'object'

/** `NewX` is the name of the constructor of X in Go. */
const toSchemaName = (name: string) => name.replace(/^New(?=[A-Z])/, 'Created')

const contractSchemas: Readonly<Record<string, object>> = {
  ErrorReply,
  ErrorPlace,
  RowFilterScalar: contract.RowFilterScalar,
  RowFilterValue: contract.RowFilterValue,
  RowFilterNegatedValue: contract.RowFilterNegatedValue,
  RowFilterInnerNegatedValue: contract.RowFilterInnerNegatedValue,
  OpenNamesValue: contract.OpenNames,
  LeakTest,
  LeakTestOutcome,
  GroupSubject,
  MemberSubject,
  Proposal,
  ProposedField,
  ProposedId,
  FieldId,
  GeneratedId,
  ProposedRows,
  UnreadableDocuments,
  NearId,
  PlaceAttributes,
  TypeFit,
  ...Object.fromEntries(
    Object.entries(contract)
      .filter(([name, value]) => isNamed(name, value))
      .map(([name, value]) => [toSchemaName(name), value]),
  ),
}

const makeReference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
const readName = ({ $ref }: Schema): string | undefined => String($ref ?? '').split('/')[3]

/** The name of a page of items that have a name. */
const listName = ({ properties }: Schema): string | undefined => {
  const { items, ...others } = Object(properties)
  const isList = items?.type === 'array' && Object.keys(others).every(name => name === 'next')
  const item = isList ? readName(Object(items.items)) : undefined
  return item && `${item}List`
}

export const createManagementSchemas = (): ManagementSchemas => {
  const { write, writeParts } = createSchemaWriter(contractSchemas)
  const components: Record<string, Schema> = Object.fromEntries(
    Object.entries(contractSchemas).map(([name, schema]) => [name, writeParts(schema)]),
  )
  const add = (name: string, schema: Schema): Schema => {
    components[name] = schema
    return makeReference(name)
  }
  const nameAfter = (operationId: string, suffix: string) =>
    `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}${suffix}`
  return {
    writePart: write,
    writeInput: (operationId, schema) => add(nameAfter(operationId, 'Input'), writeParts(schema)),
    writeReply: (operationId, schema) => {
      const body = write(schema)
      if (readName(body) !== undefined) return body
      return add(listName(body) ?? nameAfter(operationId, 'Reply'), body)
    },
    components: () => components,
  }
}
