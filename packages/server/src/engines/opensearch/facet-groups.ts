/** Counts groups of values: ranges, intervals, and levels of a hierarchy, like packages/engine/src/search/facets/groups.rs. */
import { EngineError } from '#engines/engine'
import type { EngineFacet, FacetGroups, FacetRequest } from '#engines/facet'
import { rangeClause } from './conditions.ts'
import type { Schema, SearchField } from './schema.ts'
import type { SearchReply } from './search-context.ts'

/** Below OpenSearch's own limit, `search.max_buckets`. */
const groupsMax = 60_000

/** Each script returns every key of a document once. */
const scripts = {
  interval: `
    boolean isExact(double number) { return Math.abs(number) < 9007199254740992.0; }
    double bound(double number, double size) {
      return isExact(number) ? number * Math.rint(size * 1000000.0) / 1000000.0 : number * size;
    }
    Set keys = new HashSet();
    double size = ((Number)params.size).doubleValue();
    for (def value : doc[params.column]) {
      double number = ((Number)value).doubleValue();
      double key = Math.floor(number / size);
      while (number < bound(key, size)) { key = isExact(key) ? key - 1 : Math.nextDown(key); }
      while (key != Double.POSITIVE_INFINITY) {
        double next = isExact(key) ? key + 1 : Math.nextUp(key);
        if (number < bound(next, size)) { break; }
        key = next;
      }
      keys.add(Double.toString(key + 0.0));
    }
    return new ArrayList(keys);`,
  calendar: `
    long divide(long number, long divisor) { return (number - (number % divisor + divisor) % divisor) / divisor; }
    long at(List numbers, int place) { return ((Number)numbers.get(place)).longValue(); }
    Set keys = new HashSet();
    for (def value : doc[params.column]) {
      long seconds = divide(((Number)value).longValue(), 1000000L);
      if (params.zone != null) {
        List starts = params.zone.starts;
        long until = ((Number)params.zone.until).longValue();
        long cycle = 146097L * 86400L;
        long shift = seconds < until ? 0L : (divide(seconds - until, cycle) + 1L) * cycle;
        int low = 0;
        int high = starts.size() - 1;
        while (low < high) {
          int middle = (low + high + 1) / 2;
          if (at(starts, middle) <= seconds - shift) { low = middle; } else { high = middle - 1; }
        }
        long offset = at(params.zone.offsets, low);
        long local = seconds + offset;
        if (params.unit != 'hour') { local = Long.max(local, at(params.zone.floors, low) + shift - 1L); }
        local = Long.max(-62167219200L, Long.min(253402300799L, local));
        if (params.unit == 'hour') {
          long hour = Long.max(divide(local, 3600L) * 3600L - offset, at(starts, low) + shift);
          keys.add(Long.toString(hour));
          continue;
        }
        seconds = local;
      }
      if (params.unit == 'hour') { keys.add(Long.toString(divide(seconds, 3600L) * 3600L)); continue; }
      long days = divide(seconds, 86400L);
      if (params.unit == 'week') { days = divide(days + 3L, 7L) * 7L - 3L; }
      else if (params.unit == 'month') { days = LocalDate.ofEpochDay(days).withDayOfMonth(1).toEpochDay(); }
      else if (params.unit == 'year') { days = LocalDate.ofEpochDay(days).withDayOfYear(1).toEpochDay(); }
      keys.add(Long.toString(days * 86400L));
    }
    return new ArrayList(keys);`,
  hierarchy: `
    Set keys = new HashSet();
    for (def value : doc[params.column]) {
      String path = value.toString();
      for (String start : params.starts) {
        if (!path.startsWith(start)) { continue; }
        int end = path.indexOf(params.separator, start.length());
        keys.add(end < 0 ? path : path.substring(0, end));
      }
    }
    return new ArrayList(keys);`,
}

/** Throws `unsupported` for a field of another type. */
export function groupsAggregation(schema: Schema, field: SearchField, groups: FacetGroups): object {
  const { type, column } = field
  const requireType = (...types: SearchField['type'][]) => {
    if (!types.includes(type))
      throw new EngineError(
        'unsupported',
        `the OpenSearch engine cannot group \`${field.name}\`, a ${type} field, so`,
      )
  }
  const terms = (source: string, params: object) => ({
    terms: { script: { source, params: { column, ...params } }, size: groupsMax },
  })
  switch (groups.by) {
    case 'ranges': {
      requireType('number', 'date')
      const clauses = groups.ranges.map(range =>
        rangeClause(schema, { kind: 'range', field: field.name, ...range }),
      )
      return { filters: { filters: clauses } }
    }
    case 'interval':
      requireType('number')
      return terms(scripts.interval, { size: groups.size })
    case 'calendar':
      requireType('date')
      return terms(scripts.calendar, { unit: groups.unit, ...(groups.zone && { zone: groups.zone }) })
    case 'hierarchy': {
      requireType('keyword')
      const { separator, parents = [] } = groups
      const starts = parents.length === 0 ? [''] : parents.map(parent => parent + separator)
      return terms(scripts.hierarchy, { separator, starts })
    }
  }
}

/** Throws `unsupported` if there are too many groups. */
export function readGroups(reply: SearchReply, { field, groups }: FacetRequest): EngineFacet {
  // The request names this aggregation `facet`. Filters have buckets in their order and without keys.
  const facet = reply.aggregations?.facet as
    | { sum_other_doc_count?: number; buckets: { key?: string | number; doc_count: number }[] }
    | undefined
  if ((facet?.sum_other_doc_count ?? 0) > 0)
    throw new EngineError(
      'unsupported',
      `the OpenSearch engine counts at most ${groupsMax} groups of \`${field}\``,
    )
  const options = (facet?.buckets ?? []).map(({ key, doc_count }, index) => ({
    value: groups?.by === 'interval' ? String(Number(key)) : String(key ?? index),
    count: doc_count,
  }))
  const largest = options.reduce((maximum, { count }) => Math.max(maximum, count), 0)
  return { options, selected: [], distinct: options.length, largest }
}
