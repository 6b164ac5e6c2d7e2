/** OpenAPI 3.1 document of one API, with its endpoints and the attributes of its documents (query-service.md, OpenAPI). */
import { contractVersion } from '@querent/contract/paths'
import { openApiDocument, type PathItem } from '#http/openapi'
import type { ServiceUrls } from '#http/origins'
import type { CompiledApi } from '#query/plan/compile'
import { describeAnyStack } from './any-stack.ts'
import { type ChosenStacks, describeStacks, generalTag } from './described-stacks.ts'
import { createUniqueNames } from './names.ts'
import { allRequestsCount, apiOperations, commonReplies, someRequestsCount } from './operations.ts'
import { optionComponents, optionSchemas } from './parameters.ts'
import { listEndpoints, listRefinedStacks, type StackDescription } from './stacks.ts'

/**
 * An API with more operations is described with `{endpoint}` in its paths. The document then stays below 2 MB and takes at most 50 ms,
 * whatever a workspace defines.
 */
const operationsMax = 2000
/** With more operations, refined stacks have one filter at most: clients have a function or a file for each operation. */
const operationsWithPairsMax = 1000
const bytesMax = 1_500_000

interface Size {
  operations: number
  bytes: number
}

/** Returns the stacks, or undefined if the operations of all of them are more than `max`. */
const takeWithin = (
  stacks: Iterable<StackDescription>,
  operationsPerStack: number,
  max: Size,
): { stacks: StackDescription[]; size: Size } | undefined => {
  const chosenStacks: StackDescription[] = []
  const size = { operations: 0, bytes: 0 }
  for (const stack of stacks) {
    size.operations += operationsPerStack
    // The constant is the size of an operation without its path and references to parameters.
    size.bytes += operationsPerStack * (600 + 2 * stack.path.length + 70 * stack.variables.length)
    if (size.operations > max.operations || size.bytes > max.bytes) return undefined
    chosenStacks.push(stack)
  }
  return { stacks: chosenStacks, size }
}

/** Chooses the stacks to describe. Undefined: even the endpoints alone are too many. */
const chooseStacks = (api: CompiledApi): ChosenStacks | undefined => {
  const perEndpoint = allRequestsCount + 1
  const endpoints = takeWithin(listEndpoints(api), perEndpoint, {
    operations: operationsMax,
    bytes: bytesMax,
  })
  if (endpoints === undefined) return undefined
  const { operations, bytes } = endpoints.size
  const remaining = (max: number): Size => ({ operations: max - operations, bytes: bytesMax - bytes })
  const perStack = someRequestsCount + 1
  const refined =
    takeWithin(listRefinedStacks(api, 2), perStack, remaining(operationsWithPairsMax)) ??
    takeWithin(listRefinedStacks(api, 1), perStack, remaining(operationsMax))
  return { endpoints: endpoints.stacks, refined: refined?.stacks ?? [] }
}

/** Describes one API. `configurations` are those of its workspace. */
export const apiOpenApi = (
  service: ServiceUrls,
  workspace: string,
  api: CompiledApi,
  configurations: readonly string[],
) => {
  const chosen = chooseStacks(api)
  const described = chosen ? describeStacks(api, chosen) : describeAnyStack(api)
  const paths = {
    ...apiOperations('', { parameters: [], tags: [generalTag.name] }),
    ...described.paths,
  }
  const url = `${service.baseUrl}/${contractVersion}/${workspace}/api/${api.name}`
  const description = `You can stack endpoints: repeat /e/{endpoint}[/p/{name}/{value}]* and each one refines the results before it. ${described.description}`
  const isOpen = api.access === 'public'
  const tags = [generalTag, ...described.tags]
  makeIdsUnique(paths)
  return openApiDocument(service, { title: api.title, description, url, isOpen, tags }, paths, {
    schemas: { ...optionSchemas(configurations), ...described.schemas },
    parameters: {
      ...optionComponents,
      ...described.parameters,
    },
    responses: { ...commonReplies, ...described.responses },
  })
}

/** Generators name functions after the ids of operations. */
const makeIdsUnique = (paths: Readonly<Record<string, PathItem>>): void => {
  const uniqueName = createUniqueNames()
  for (const methods of Object.values(paths))
    for (const operation of Object.values(methods)) operation.operationId = uniqueName(operation.operationId)
}
