/** The names that a place of the workspace file can refer to: collections, fields and endpoints that the file declares. */
import { listKeys, type YamlContext } from './yaml-context.ts'

/** Returns names in the order of the file; none if the place refers to no name. */
export const listDeclaredNames = (text: string, { path, scalars }: YamlContext): string[] => {
  const [part, name] = path
  const property = path.filter(key => key !== '[]').at(-1)
  const namesIn = (...parent: string[]) => listNamesBelow(text, parent)
  if (property === 'collection') return namesIn('collections')
  if (part === 'configurations' && path.length === 2) return namesIn('collections')
  if (part === 'collections' && property === 'field') return namesIn('collections', name ?? '', 'fields')
  if (part === 'apis' && (property === 'field' || property === 'fields'))
    return namesIn('collections', findScalar(scalars, 'collection') ?? '*', 'fields')
  if (part === 'apis' && (property === 'endpoint' || property === 'of'))
    return namesIn('apis', name ?? '', 'endpoints')
  if (part !== 'tests') return []
  if (property === 'api') return namesIn('apis')
  if (property === 'endpoint') return namesIn('apis', findScalar(scalars, 'api') ?? '*', 'endpoints')
  return property === 'config' ? namesIn('configurations') : []
}

/** Returns the names below a path; `*` stands for any key. */
const listNamesBelow = (text: string, parent: readonly string[]): string[] => {
  const isBelow = (key: readonly string[]) =>
    key.length === parent.length + 1 && parent.every((step, index) => step === '*' || step === key[index])
  return [
    ...new Set(
      listKeys(text)
        .filter(isBelow)
        .map(key => key.at(-1) ?? ''),
    ),
  ]
}

/** Returns the innermost value of a key; undefined if it is empty. */
const findScalar = (scalars: YamlContext['scalars'], key: string): string | undefined =>
  scalars.findLast(level => level.get(key))?.get(key)
