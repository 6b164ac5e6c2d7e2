/** Steps that combine those of other endpoints: `mix`, `any` and `together`. */
import type { Endpoint } from '@querent/contract/endpoints'
import { matchNone } from './collection-view.ts'
import type { NodeBuilder, Parameter, Step, StepParts } from './step.ts'

export const mixStep = (
  endpoint: Endpoint & { kind: 'mix' },
  steps: ReadonlyMap<string, Step>,
): StepParts => {
  const { parameters, parts } = joinParameters(Object.keys(endpoint.of), steps)
  return {
    parameters,
    node: (...request) => {
      const nodes = parts.flatMap(part => {
        const node = part.node(...request)
        return node === undefined ? [] : [{ weight: endpoint.of[part.name] ?? 1, node, name: part.name }]
      })
      return nodes.length === 0
        ? undefined
        : { kind: 'mix', by: endpoint.scores ? 'score' : 'rank', parts: nodes }
    },
  }
}

/** A part that keeps everything, such as a range without ends, makes the whole keep everything; with `not`, nothing. */
export const anyStep = (
  endpoint: Endpoint & { kind: 'any' },
  steps: ReadonlyMap<string, Step>,
): StepParts => {
  const { parameters, parts } = joinParameters(endpoint.of, steps)
  const { not = false } = endpoint
  return {
    parameters,
    node: (...request) => {
      const nodes = parts.map(part => part.node(...request))
      const narrowing = nodes.filter(node => node !== undefined)
      if (narrowing.length < nodes.length) return not ? matchNone : undefined
      // The filter of a facet with groups may be an `any` itself.
      const anyParts = narrowing.flatMap(node => (node.kind === 'any' && !node.not ? node.parts : [node]))
      return { kind: 'any', parts: anyParts, not }
    },
  }
}

/** A part that keeps everything, such as a range without ends, is no condition on the element. */
export const togetherStep = (
  endpoint: Endpoint & { kind: 'together' },
  steps: ReadonlyMap<string, Step>,
): StepParts => {
  const { parameters, parts } = joinParameters(endpoint.of, steps)
  return {
    parameters,
    node: (...request) => {
      const nodes = parts.map(part => part.node(...request)).filter(node => node !== undefined)
      return nodes.length === 0 ? undefined : { kind: 'together', parts: nodes }
    },
  }
}

/** Joins the parameters of several steps. Steps with the same parameter name share one parameter. */
const joinParameters = (names: readonly string[], steps: ReadonlyMap<string, Step>) => {
  const parameters: Parameter[] = []
  const parts = names.flatMap(name => {
    const step = steps.get(name)
    if (step === undefined) return []
    const indexes = step.parameters.map(parameter => {
      const index = parameters.findIndex(existing => existing.name === parameter.name)
      return index >= 0 ? index : parameters.push(parameter) - 1
    })
    const node: NodeBuilder = (values, collection, nowMs) =>
      step.node(
        indexes.map(index => values[index]),
        collection,
        nowMs,
      )
    return [{ name, node }]
  })
  return { parameters, parts }
}
