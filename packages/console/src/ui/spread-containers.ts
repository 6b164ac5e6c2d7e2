/** Objects that hold all fields of a document, in exports of Jira, JSON:API, GeoJSON and Elasticsearch. */
const containers = ['fields', 'attributes', 'properties', '_source']

/** Replaces such an object by its members, which are called by their paths: `fields.summary`. */
export const spreadContainers = (
  attributes: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      containers.includes(name) && typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([key, inner]) => [`${name}.${key}`, inner])
        : [[name, value]],
    ),
  )

/** The name of a field without the object that holds all fields: `summary` for `fields.summary`. */
export const withoutContainer = (name: string): string => {
  const [container = '', ...rest] = name.split('.')
  return rest.length > 0 && containers.includes(container) ? rest.join('.') : name
}
