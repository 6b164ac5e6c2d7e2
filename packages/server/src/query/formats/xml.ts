/** Results as XML 1.0. Attribute names are values in it, because many of them cannot be element names. */

import type { Field } from '@querent/contract/workspace-file'
import XMLBuilder from 'fast-xml-builder'
import {
  attributeNames,
  legalXml,
  listValues,
  type Page,
  type PageItem,
  readGeoPoint,
  valueText,
} from './page.ts'

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  suppressBooleanAttributes: false,
})

/** Writes `<results>` with an `<item>` for each result, then `<statistics>` if requested. */
export const writeXml = async (page: Page): Promise<string> => {
  const { offset, count, items, statistics } = page
  const names = attributeNames(page)
  const document = {
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    results: {
      '@offset': offset,
      '@count': count,
      item: items.map(item => itemElement(item, names, page)),
      ...(statistics && {
        statistics: {
          '@total': statistics.total,
          stat: statistics.stats.map(({ cutoff, numResults }) => ({
            '@cutoff': cutoff,
            '@numResults': numResults,
          })),
        },
      }),
    },
  }
  // A parser turns a bare carriage return into a line feed, and in attributes into a space (XML 1.0, sections 2.11 and 3.3.3).
  return builder.build(document).replaceAll('\r', '&#13;')
}

const itemElement = (
  { rank, probability, entity, highlights, collapsed }: PageItem,
  names: readonly string[],
  { fields }: Page,
) => ({
  '@rank': rank,
  '@probability': probability,
  id: legalXml(entity.id),
  class: entity.class.map(legalXml),
  attribute: names
    .filter(name => Object.hasOwn(entity.attributes, name))
    .flatMap(name =>
      listValues(entity.attributes[name], fields.get(name)).map(value => ({
        '@name': legalXml(name),
        ...typeAttribute(value, fields.get(name)),
        '#text': legalXml(valueText(value, fields.get(name))),
      })),
    ),
  highlight: Object.entries(highlights).flatMap(([name, snippets]) =>
    snippets.map(snippet => ({ '@name': legalXml(name), '#text': legalXml(snippet) })),
  ),
  ...(collapsed && {
    collapsed: {
      '@count': collapsed.count,
      ...(collapsed.value !== null && { '#text': legalXml(String(collapsed.value)) }),
    },
  }),
})

/** The type of a value that is not text. */
const typeAttribute = (value: unknown, field: Field | undefined) =>
  typeof value === 'string' ? {} : { '@type': readGeoPoint(value, field) ? 'geo' : typeof value }
