/** The structured content that all tools return. */

export interface ToolResults {
  total: number
  offset: number
  items: {
    rank: number
    probability: number
    id: string
    title: string
    class: string[]
    attributes: Record<string, unknown>
    highlights?: Record<string, string[]>
    collapsed?: {
      value: string | number | null
      count: number
      others: { id: string; title: string }[]
    }
  }[]
  facets?: Record<string, { title: string; options: { value: string; title: string; count: number }[] }>
  didYouMean?: string | null
  relaxed?: string[]
  degraded?: string[]
}

const option = {
  type: 'object',
  properties: { value: { type: 'string' }, title: { type: 'string' }, count: { type: 'integer' } },
  required: ['value', 'title', 'count'],
  additionalProperties: false,
}

/** JSON Schema of {@link ToolResults}. */
export const resultsSchema = {
  type: 'object' as const,
  properties: {
    total: { type: 'integer', description: 'Number of results' },
    offset: { type: 'integer' },
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          rank: { type: 'integer' },
          probability: { type: 'number', description: 'Relevance relative to the best result, 0 to 1' },
          id: { type: 'string' },
          title: { type: 'string' },
          class: { type: 'array', items: { type: 'string' } },
          attributes: { type: 'object', additionalProperties: true },
          highlights: {
            type: 'object',
            additionalProperties: { type: 'array', items: { type: 'string' } },
            description: 'HTML snippets with the matches in <mark>',
          },
          collapsed: {
            type: 'object',
            properties: {
              value: { type: ['string', 'number', 'null'] },
              count: { type: 'integer', description: 'Number of results with the value' },
              others: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: { id: { type: 'string' }, title: { type: 'string' } },
                  required: ['id', 'title'],
                  additionalProperties: false,
                },
              },
            },
            required: ['value', 'count', 'others'],
            additionalProperties: false,
            description: 'The item stands for all results with this value',
          },
        },
        required: ['rank', 'probability', 'id', 'title', 'class', 'attributes'],
        additionalProperties: false,
      },
    },
    facets: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: { title: { type: 'string' }, options: { type: 'array', items: option } },
        required: ['title', 'options'],
        additionalProperties: false,
      },
    },
    didYouMean: { type: ['string', 'null'], description: 'A text that finds something' },
    relaxed: { type: 'array', items: { type: 'string' }, description: 'Words that results need not contain' },
    degraded: { type: 'array', items: { type: 'string' }, description: 'Parts of the search that failed' },
  },
  required: ['total', 'offset', 'items'],
  additionalProperties: false,
}

/** The same in short, for lists of many tools: a model reads each schema. */
export const briefResultsSchema = {
  type: 'object' as const,
  properties: { total: {}, items: {}, facets: {} },
}
