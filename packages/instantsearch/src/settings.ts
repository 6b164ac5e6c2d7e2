/** How the attributes and indexes of InstantSearch map to the endpoints of an API. */
import type { QueryService } from '@querent/client'

export interface SearchClientSettings extends Pick<QueryService, 'baseUrl' | 'token' | 'headers' | 'retry'> {
  workspace: string
  api: string
  /** Default `default`. */
  config?: string
  /** Endpoint that takes the text of the search box, default `search`. */
  search?: string
  /** Its parameter, default `query`. */
  parameter?: string
  /** `indexName` → endpoint of kind `sort`, for the widget `sortBy`. All other index names are sorted by relevance. */
  sorts?: Readonly<Record<string, string>>
  /**
   * Attribute → endpoint of kind `facet`, if their names differ. The levels `region.lvl0`, `region.lvl1` and so on belong to the facet `region`,
   * which has a `separator`.
   */
  facets?: Readonly<Record<string, string>>
  /** Attribute → endpoint of kind `range`, for `rangeInput`, `rangeSlider`, `numericMenu` and `ratingMenu`. */
  ranges?: Readonly<Record<string, RangeSettings>>
  /** Attribute → endpoint of kind `filter` with a fixed value, for `toggleRefinement` on a field without a facet. */
  toggles?: Readonly<Record<string, string>>
  geo?: GeoSettings
}

export interface RangeSettings {
  /** Default: the name of the attribute. */
  endpoint?: string
  /** Endpoints that sort by the field, up and down. With them, sliders and inputs get the lowest and the highest value of the results. */
  ascending?: string
  descending?: string
  /** A facet with `statistics: true` on the field, instead of `ascending` and `descending`. It reads numbers and dates however documents write them. */
  statistics?: string
  /** Whether the field has dates. The widgets have them in milliseconds since 1970, as `Date` does. */
  dates?: boolean
}

/** For places: the widget `geoSearch`, and `aroundLatLng` and `aroundRadius` of the widget `configure`. */
export interface GeoSettings {
  /** Field with the place. Hits have it as `_geoloc`. */
  field: string
  /** Endpoint of kind `filter` on the field, for `aroundRadius`. */
  within?: string
  /** Endpoint of kind `area` on the field, with the parameters `box` and `polygon`. For `geoSearch`, `insideBoundingBox` and `insidePolygon`. */
  area?: string
  /** Endpoint of kind `sort` on the field. The nearest hits come first. */
  nearest?: string
}
