/** The names that a place of the workspace file can refer to: collections, fields and endpoints that the file declares. */
import { listKeys, type YamlContext } from './yaml-context.ts'

/** Returns names in the order of the file; none if the place refers to no name. */
// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: older than the limit
export const listDeclaredNames = (text: string, { path, scalars }: YamlContext): string[] => {
  const [part, name] = path
  const property = path.filter(key => key !== '[]').at(-1)
  const keys = listKeys(text)
  /** Returns the names below a path; `*` stands for any key. */
  const namesIn = (...parent: string[]) => [
    ...new Set(
      keys
        .filter(
          key =>
            key.length === parent.length + 1 &&
            parent.every((step, index) => step === '*' || step === key[index]),
        )
        .map(key => key.at(-1) ?? ''),
    ),
  ]
  if (property === 'collection') return namesIn('collections')
  if (part === 'configurations' && path.length === 2) return namesIn('collections')
  if (part === 'collections' && property === 'field') return namesIn('collections', name ?? '', 'fields')
  if (part === 'apis' && (property === 'field' || property === 'fields'))
    return namesIn('collections', findScalar(scalars, 'collection') ?? '*', 'fields')
  if (part === 'apis' && (property === 'endpoint' || property === 'of'))
    return namesIn('apis', name ?? '', 'endpoints')
  if (part === 'tests' && property === 'api') return namesIn('apis')
  if (part === 'tests' && property === 'endpoint')
    return namesIn('apis', findScalar(scalars, 'api') ?? '*', 'endpoints')
  if (part === 'tests' && property === 'config') return namesIn('configurations')
  return []
}

/** Returns the innermost value of a key; undefined if it is empty. */
const findScalar = (scalars: YamlContext['scalars'], key: string): string | undefined =>
  scalars.findLast(level => level.get(key))?.get(key)
