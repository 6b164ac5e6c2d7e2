/** Titles of APIs and collections that tell them apart wherever they are shown. */

interface Titled {
  title: string
  api?: string
  collection?: string
}

/** Adds the name to each title that several have, such as `Products (products-2)`. */
export const distinguishTitles = <T extends { items: readonly Titled[] }>(reply: T): T => {
  const shared = Map.groupBy(reply.items, ({ title }) => title)
  const items = reply.items.map(item => {
    const name = item.api ?? item.collection
    return name === undefined || shared.get(item.title)?.length === 1
      ? item
      : { ...item, title: `${item.title} (${name})` }
  })
  return { ...reply, items }
}
