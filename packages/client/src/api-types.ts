/** Types of one API, as `querent types` writes them: a wrong endpoint, parameter, facet or attribute does not compile. */
import type { Entity, PlainEntity, Results } from './replies.ts'

export interface ApiTypes {
  /** Endpoint → its parameters: name → `string`, or `number` for those that take a number. */
  endpoints: object
  facets: string
  configurations: string
  /** Declared fields of the documents. */
  attributes: object
}

/** An API about which nothing is known. */
export interface AnyApi {
  endpoints: Record<string, Record<string, string>>
  facets: string
  configurations: string
  attributes: Record<string, unknown>
}

type Name<Names> = keyof Names & string

/** One endpoint of a stack. Values are sent as text, so a parameter for numbers takes text such as `12.5`. */
export type StackStep<Api extends ApiTypes> = {
  [Endpoint in Name<Api['endpoints']>]: {
    endpoint: Endpoint
    parameters: ParameterValue<Api['endpoints'][Endpoint]>[]
  }
}[Name<Api['endpoints']>]

type ParameterValue<Parameters> = {
  [Parameter in Name<Parameters>]: {
    name: Parameter
    value: Parameters[Parameter] extends number | undefined ? `${number}` : string
  }
}[Name<Parameters>]

/** Values of an endpoint's parameters by name. A number may be sent as text too. */
export type ParameterValues<Parameters> = {
  [Parameter in keyof Parameters]: Parameters[Parameter] extends number | undefined
    ? number | `${number}`
    : string | number | boolean
}

/** The argument may be left out if the endpoint requires no parameter. */
export type ParameterArguments<Parameters> =
  Record<never, never> extends Parameters
    ? [values?: ParameterValues<Parameters>]
    : [values: ParameterValues<Parameters>]

export type EndpointName<Api extends ApiTypes> = Name<Api['endpoints']>

type ApiEntity<Api extends ApiTypes> = Omit<Entity, 'attributes'> & { attributes: Api['attributes'] }
export type ApiPlainEntity<Api extends ApiTypes> = PlainEntity & Api['attributes']
export type ApiResults<Api extends ApiTypes> = Results<ApiEntity<Api>>
export type ApiResultItem<Api extends ApiTypes> = ApiResults<Api>['items'][number]
export type ApiResultPage<Api extends ApiTypes> = Results<ApiPlainEntity<Api>>
