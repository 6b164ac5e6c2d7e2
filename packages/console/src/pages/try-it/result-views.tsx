/** The answer to the query of Try it, in the view that the person chose. */

import { Loader, Tabs } from '@mantine/core'
import type { ApiSummary } from '@querent/contract/manage'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import { lazy, Suspense } from 'react'
import { t } from '#i18n/translate.ts'
import { ErrorNote } from '#ui/error-note.tsx'
import type { Answer, ShownQuery } from './answer.ts'
import { hasPlaces, type PlaceField } from './read-places.ts'
import { readView, type TryItSearch } from './search.ts'
import { isRanked, isSortedOver } from './search-draft.ts'
import { SearchResults } from './search-results.tsx'

const Code = lazy(async () => ({ default: (await import('./code.tsx')).Code }))
const JsonView = lazy(async () => ({ default: (await import('./json-view.tsx')).JsonView }))
const ResultMap = lazy(async () => ({ default: (await import('./map/result-map.tsx')).ResultMap }))
const Compare = lazy(async () => ({ default: (await import('./compare/compare.tsx')).Compare }))

interface ResultViewsProps extends ShownQuery {
  description: ApiDescription
  /** By field name. */
  fieldTitles: Readonly<Record<string, string>>
  /** The fields of type `geo`. */
  places: readonly PlaceField[]
  /** How documents write dates and lists, by attribute or path. */
  fieldForms: ApiSummary['fieldForms']
  /** Attributes or paths that the results are sorted by. */
  sortAttributes: readonly string[]
  search: TryItSearch
  /** Undefined while it is on its way. */
  answer: Answer | undefined
  error: unknown
  isFetching: boolean
  onChange: (stack: StackedEndpoint[]) => unknown
  /** Changes the address, in place of the last one in the history if asked to. */
  onSearch: (changed: TryItSearch, replace?: boolean) => unknown
}

export const ResultViews = (props: ResultViewsProps) => {
  const { description, stack, search, answer, error, onSearch } = props
  const { show } = search
  const results = answer?.reply[0]
  const isSorted = isSortedOver(stack, description)
  const isMapped = show === 'map' || (results !== undefined && hasPlaces(results.items, props.places))
  return (
    <Tabs
      value={show ?? 'results'}
      onChange={tab => onSearch({ show: readView(tab) }, true)}
      keepMounted={false}
    >
      <Tabs.List aria-label={t('Views of the results')}>
        <Tabs.Tab value="results">{t('Results')}</Tabs.Tab>
        {isMapped && <Tabs.Tab value="map">{t('Map')}</Tabs.Tab>}
        {(show === 'compare' || isSorted || isRanked(stack, description)) && (
          <Tabs.Tab
            value="compare"
            disabled={isSorted && show !== 'compare'}
            {...(isSorted && { title: t('The results are sorted') })}
          >
            {t('Compare')}
          </Tabs.Tab>
        )}
        <Tabs.Tab value="json">JSON</Tabs.Tab>
        <Tabs.Tab value="code">{t('Code')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value={show ?? 'results'} pt="md">
        {error !== null && error !== undefined && show !== 'code' ? (
          <ErrorNote error={error} />
        ) : (
          <Suspense fallback={<Loader />}>
            {show === undefined && (
              <SearchResults
                {...props}
                onPage={page => onSearch({ page })}
                onView={view => onSearch({ view }, true)}
              />
            )}
            {show === 'map' && results && <ResultMap {...props} />}
            {show === 'compare' && results && (
              <Compare {...props} items={results.items} onSearch={changed => onSearch(changed, true)} />
            )}
            {show === 'json' && answer && <JsonView reply={answer.reply} />}
            {show === 'code' && <Code {...props} isPublic={description.access === 'public'} />}
          </Suspense>
        )}
      </Tabs.Panel>
    </Tabs>
  )
}
