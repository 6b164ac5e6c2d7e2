/** Finds the steps and the collection of a stack, and checks the places of its facets. */
import { didYouMean, listNames, nearestNames } from '@querent/contract/nearest-names'
import type { PathParameter, StackedEndpoint } from '@querent/contract/paths'
import { Problem } from '#errors'
import { checkCollapsePlace } from './collapse.ts'
import type { CollectionView } from './collection-view.ts'
import { closedCollection, type OpenCollections } from './open-collections.ts'
import { readParameters } from './parameters.ts'
import { listsOptions, type Step } from './step.ts'

/** If an API has more endpoints, errors name those with the most similar names. */
const endpointsListedMax = 200

/**
 * Returns functions that throw Problem `unknown-endpoint`, `bad-path` or `bad-parameter`, and `collection-not-allowed` for what is closed.
 * `steps`: the open ones.
 */
export const createStackResolver = (
  steps: ReadonlyMap<string, Step>,
  collections: ReadonlyMap<string, CollectionView>,
  allSteps = steps,
  open?: OpenCollections,
) => {
  const requireStep = (name: string): Step => {
    const step = steps.get(name)
    if (step === undefined && allSteps.has(name)) throw closedCollection()
    if (step === undefined)
      throw new Problem(
        'unknown-endpoint',
        `no endpoint "${name.slice(0, 100)}"${listNearest(name, steps.keys())}`,
      )
    return step
  }
  const namedCollections = new Set([...allSteps.values()].flatMap(({ collection }) => collection ?? []))
  const allPossible = namedCollections.size > 0 ? [...namedCollections] : [...collections.keys()]
  const onlyCollection = allPossible.length === 1 ? allPossible[0] : undefined
  const possibleCollections = open ? allPossible.filter(name => open.has(name)) : allPossible

  return {
    possibleCollections,
    /** Returns the facet whose options are requested. Its parameters are those of the stack, if it ends in the facet. */
    resolveFacet(name: string, stack: readonly StackedEndpoint[], parameters: PathParameter[] = []): Step {
      const step = steps.get(name)
      if (step === undefined && allSteps.has(name)) throw closedCollection()
      if (step === undefined || !listsOptions(step)) {
        const facets = [...steps.values()].filter(listsOptions).map(facet => facet.name)
        throw new Problem(
          'unknown-endpoint',
          `no endpoint "${name.slice(0, 100)}" that is a facet${listNearest(name, facets)}`,
        )
      }
      const last = stack.at(-1)
      return fixField(step, last?.endpoint === name ? last.parameters : parameters).step
    },
    /** Returns the steps with their parameters. `facet` is the one whose options are requested. */
    resolveStack(
      stack: readonly StackedEndpoint[],
      facet: Step | undefined,
    ): { stacked: Step[]; stack: StackedEndpoint[] } {
      const stacked = stack.map(({ endpoint }) => requireStep(endpoint))
      for (const [index, step] of stacked.entries())
        if (
          listsOptions(step) &&
          (index < stacked.length - 1 || (facet !== undefined && step.name !== facet.name))
        )
          throw new Problem(
            'bad-path',
            step.kind === 'facet'
              ? `the facet "${step.name}" must be last: to filter by it, use "${step.name}:FILTER"`
              : `the list of facets "${step.name}" must be last`,
          )
      checkCollapsePlace(stacked)
      const fixed = stacked.map((step, index) => fixField(step, stack[index]?.parameters ?? []))
      return {
        stacked: fixed.map(({ step }) => step),
        stack: fixed.map(({ step, parameters }) => ({ endpoint: step.name, parameters })),
      }
    },
    /** Returns the collection of a stack: the one that the first step names, or the only one. No other step may name another. */
    resolveCollection(stacked: readonly Step[]): CollectionView {
      const [first] = stacked
      const name = first?.collection ?? onlyCollection
      if (first === undefined || name === undefined)
        throw new Problem(
          'bad-path',
          `"${first?.name ?? ''}" has no collection of its own, and this API has several (${listNames(possibleCollections)}): put an endpoint that has one before it`,
        )
      if (open && !open.has(name)) throw closedCollection()
      for (const step of stacked)
        if (step.collection !== undefined && step.collection !== name)
          throw new Problem(
            'bad-path',
            `"${step.name}" searches the collection "${step.collection}", but the endpoints before it search "${name}": all endpoints of a stack must search the same collection`,
          )
      const collection = collections.get(name)
      if (collection === undefined) throw new Error(`the definition has no collection "${name}"`)
      return collection
    },
  }
}

/** Lists the names, and asks whether the nearest one is meant. */
const listNearest = (name: string, names: Iterable<string>): string => {
  const nearest = nearestNames(name, names)
  return `; there are: ${listNames(nearest, endpointsListedMax)}${didYouMean(name, nearest.slice(0, 1))}`
}

/** Replaces a step whose field the caller chooses by the step of that field. */
const fixField = (
  step: Step,
  parameters: StackedEndpoint['parameters'],
): { step: Step; parameters: PathParameter[] } => {
  const { chooseField, ...rest } = step
  if (chooseField === undefined) return { step, parameters }
  const [field = ''] = readParameters(step, parameters)
  return {
    step: { ...rest, ...chooseField(field) },
    parameters: parameters.filter(({ name }) => name !== step.parameters[0]?.name),
  }
}
