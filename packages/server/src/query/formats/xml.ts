/** Results as XML 1.0. Names of attributes are values in it, not names of elements, which could not hold all of them. */

import type { Field } from '@querent/contract/workspace-file'
import XMLBuilder from 'fast-xml-builder'
import { legalXml } from './legal-xml.ts'
import { attributeNames, type Page, type PageItem, pointOf, textOf, valuesOf } from './page.ts'

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  suppressBooleanAttributes: false,
})

/** `<results>` with an `<item>` for each result, and `<statistics>` behind them where they are asked for. */
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
  // A parser makes a line feed of a bare carriage return, and a space of either in an attribute (XML 1.0, sections 2.11 and 3.3.3).
  return builder.build(document).replaceAll('\r', '&#13;')
}

const itemElement = (
  { rank, probability, entity, highlights }: PageItem,
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
      valuesOf(entity.attributes[name], fields.get(name)).map(value => ({
        '@name': legalXml(name),
        ...typeOf(value, fields.get(name)),
        '#text': legalXml(textOf(value, fields.get(name))),
      })),
    ),
  highlight: Object.entries(highlights).flatMap(([name, snippets]) =>
    snippets.map(snippet => ({ '@name': legalXml(name), '#text': legalXml(snippet) })),
  ),
})

/** Says what is not text. */
const typeOf = (value: unknown, field: Field | undefined) =>
  typeof value === 'string' ? {} : { '@type': pointOf(value, field) ? 'geo' : typeof value }
