// biome-ignore-all format: generated from src/plan.rs
// biome-ignore-all lint: generated from src/plan.rs
/**
 * The JSON form of a query plan. src/plan.rs documents its kinds of nodes. To change it, change src/plan.rs, and write this file with
 * `WRITE_TYPES=1 node packages/engine/cargo.js test --lib plan`.
 */

/**
 * A query. The score of a document is (the sum of the added scores, or 1 when no node adds any) × (the product of the scores of filters and
 * of the boosts). The order of nodes makes no difference.
 */
export type Plan = { nodes: Array<PlanNode>,
/**
 * The row filter and other conditions that never score. The engine answers as if no other documents existed: it computes scores from the
 * statistics of these documents, and completes and corrects words only to words that they contain.
 */
restrictions: Array<PlanNode>, order: Array<SortKey>,
/**
 * Minimum probability (score / best score) of a result, 0 to 1.
 */
cutoff: number,
/**
 * The requested page of items; `count` is 0 if the caller needs none.
 */
offset: number, count: number,
/**
 * The ten exact numbers of results with probability at least 0.9, 0.8, … 0.0.
 */
statistics: boolean,
/**
 * If false, the caller ignores the total, so an engine may skip documents that cannot be on the page.
 */
total?: boolean,
/**
 * If false, the caller ignores the best score and the scores of hits, so an engine need not find the best score.
 */
scores?: boolean, facet?: FacetRequest,
/**
 * Keeps the best documents for each value of a field.
 */
collapse?: Collapse, highlight?: HighlightRequest,
/**
 * Requests similar words if no document matches. Ignored if `count` is 0.
 */
suggest?: boolean,
/**
 * Continues after the position of the previous page, at the same cost for each page; '' for the first page. The order, the nodes and the
 * restrictions must be those of that page. Total, best score, statistics and facet count the whole result.
 */
after?: string, };

/**
 * One step of a plan. A matching document satisfies all of them.
 */
export type PlanNode = { "kind": "all" } | { "kind": "match", text: ParsedText, fields: Array<WeightedField>,
/**
 * Without it, no word may contain typos. Numbers match exactly. Requires `ranking`.
 */
typos?: TypoLengths,
/**
 * Texts with an unfinished word require it.
 */
ranking?: Ranking,
/**
 * Documents come first in which the whole text of a field is the query.
 */
exact?: boolean,
/**
 * The words that a document needs. A phrase is one word.
 */
matching?: Matching,
/**
 * Longer words that contain a word of at least three letters count too, after all other matches. Requires `ranking`.
 */
contains?: boolean,
/**
 * Ids of documents that match whatever their words, and come first in this order when results are sorted by score. Their score
 * equals the best score of the others. All other nodes and the restrictions apply to them too. Ignored inside a mix.
 */
pinned?: Array<string>,
/**
 * Ids of matching documents that come last, with a negligible score. If a document is both pinned and buried, it is pinned.
 */
buried?: Array<string>,
/**
 * Multiply the sum of BM25 scores, so that they never lift a document over one with more of the words, fewer typos or an exact text.
 * Requires `ranking`.
 */
boosts?: Extract<PlanNode, { kind: 'boost' }>[], } | { "kind": "filter", field: string, alternatives: Array<ScoredValues>, } | { "kind": "lookup", alternatives: Array<ScoredValues>, } | { "kind": "distance", field: string, alternatives: Array<ScoredCircles>, } | { "kind": "area", field: string, area: Area, } | { "kind": "range", field: string, from?: string | number, to?: string | number,
/**
 * An exclusive upper end, instead of `to`.
 */
before?: string | number, } | { "kind": "similar", id: string, fields: Array<WeightedField>, } | { "kind": "nearest", field: string, vector: Array<number>,
/**
 * The most documents to find.
 */
limit: number,
/**
 * The lowest score of a document that is found.
 */
minimum: number, } | { "kind": "mix", parts: Array<MixPart>, by: MixBy, } | { "kind": "any", parts: Array<PlanNode>, not: boolean, } | { "kind": "present", field: string, not: boolean, } | { "kind": "together", parts: Array<PlanNode>, } | { "kind": "boost", field: string, rule: BoostRule, };

export type MixPart = { weight: number, node: PlanNode,
/**
 * Boost nodes that multiply the scores of the part.
 */
boosts?: Extract<PlanNode, { kind: 'boost' }>[],
/**
 * Engines ignore it.
 */
name?: string, };

export type MixBy = "rank" | "score";

/**
 * The factor of a boost. The most favorable value of a document counts: the largest number, the latest date, the nearest place.
 */
export type BoostRule = { "by": "value", values: Array<Value>, factor: number, } | { "by": "log" } | { "by": "linear" } | { "by": "age",
/**
 * Milliseconds since 1970.
 */
nowMs: number, halfLifeMs: number, } | { "by": "distance", lat: number, lon: number, halfMeters: number, };

/**
 * Parsed free text: words and phrases are alternatives; documents with an excluded word or phrase do not match.
 */
export type ParsedText = { words: Array<string>, phrases: Array<string>, excludedWords: Array<string>, excludedPhrases: Array<string>,
/**
 * The last word as typed so far, to be completed. It is not in `words`, but also matches as a whole word.
 */
unfinished?: string,
/**
 * Those of `words` that are stop words of the collection. They are ignored if the text has other words.
 */
ignoredWords?: Array<string>,
/**
 * Whether `unfinished` is a stop word of the collection, or may become one. Then no document needs it.
 */
mayLackUnfinished?: true,
/**
 * The synonyms of the collection: their number in JSON.
 */
synonyms?: { toJSON(): number }, };

export type WeightedField = { name: string, weight: number, };

/**
 * Lengths in characters from which a word may contain one typo, and two (Damerau-Levenshtein; a wrong first letter counts as two).
 */
export type TypoLengths = { one: number, two: number, };

/**
 * The order of the documents that a match finds.
 */
export type Ranking = "score" | "words";

/**
 * The words of a query that a document must contain.
 */
export type Matching = "any" | "all" | "relaxed";

/**
 * The value of a filter, a range or a boost.
 */
export type Value = boolean | number | string;

/**
 * One alternative of a filter: a document with any of these values matches, and its score is multiplied by `score` (above 0).
 */
export type ScoredValues = { score: number, values: Array<Value>, };

/**
 * One alternative of circles around places: degrees of WGS84, the radius in meters.
 */
export type ScoredCircles = { score: number, circles: Array<Circle>, };

/**
 * Center in degrees, and radius.
 */
export type Circle = { lat: number, lon: number, meters: number, };

export type Point = { lat: number, lon: number, };

/**
 * A part of the surface of the earth, edges included.
 */
export type Area = { "box": Box } | { "polygon": Polygon };

/**
 * If `west` is greater than `east`, the box crosses the antimeridian.
 */
export type Box = { south: number, west: number, north: number, east: number, };

/**
 * Each edge is the shorter arc of a great circle, and the last corner is joined to the first. An edge of a half turn between two corners at
 * a pole leads east. A place is inside if an odd number of edges is north of it on its meridian; with `hasNorthPole`, an even number.
 */
export type Polygon = {
/**
 * Longitudes are at least -180 and less than 180. A corner at a pole stands twice, with the longitudes of its neighbors.
 */
corners: Array<Point>, hasNorthPole: boolean, };

/**
 * A sort key. The id, ascending by UTF-8 bytes, breaks the last ties. Missing values sort last. If a document has several values, the
 * smallest counts in ascending order and the largest in descending order.
 */
export type SortKey = { "by": "score" } | { "by": "field", field: string, order: Direction, } | { "by": "distance", field: string, lat: number, lon: number, order: Direction, };

export type Direction = "ascending" | "descending";

/**
 * Options of a keyword, number, boolean or date field over the documents that the plan finds.
 */
export type FacetRequest = { field: string,
/**
 * The requested page of options: by descending count, then by ascending value (UTF-8 bytes).
 */
offset: number, count: number,
/**
 * Values to count whatever page they are on.
 */
selected: Array<string>,
/**
 * Minimum of count / largest, 0 to 1: options below it are absent from `options`, `distinct` and `statistics`.
 */
cutoff?: number,
/**
 * Keeps only options with a word that starts with this text, without case and accents. The others are absent from `options`, `distinct`
 * and `statistics`. A blank text keeps all options.
 */
query?: string,
/**
 * If false, the caller ignores the number of different options, so an engine need not count the options of other pages.
 */
distinct?: boolean,
/**
 * Counts groups of values instead of values. Then the other members except `field` have no effect, and the reply has all groups by key,
 * in any order, as far as documents have them.
 */
groups?: FacetGroups,
/**
 * Counts the documents without a value. Without groups, they are also counted as the option ''. Then no document has the option '' for
 * an empty text, which is no value.
 */
missing?: boolean,
/**
 * Requests a summary of numbers or dates.
 */
summary?: boolean,
/**
 * Counts the values of `collapse` that have a document with the option; a document without a value counts as one.
 */
collapsed?: boolean, };

/**
 * Groups of values. A document with several values of a group counts once.
 */
export type FacetGroups = { "by": "ranges", ranges: Array<GroupRange>, } | { "by": "interval", size: number, } | { "by": "calendar", unit: CalendarUnit, zone?: ZoneOffsets, } | { "by": "hierarchy", separator: string, parents?: readonly string[], };

/**
 * Values from `from` to before `before`.
 */
export type GroupRange = { from?: string | number, before?: string | number, };

/**
 * Weeks start on Monday.
 */
export type CalendarUnit = "year" | "month" | "week" | "day" | "hour";

/**
 * The offsets of a time zone from UTC (`ZoneOffsets` in the contract's time-zone.ts). All numbers are seconds; times count from 1970.
 */
export type ZoneOffsets = {
/**
 * When each offset starts.
 */
starts: number[], offsets: number[],
/**
 * The local time that was reached before each start.
 */
floors: number[],
/**
 * From then on, offsets are those of 400 years earlier.
 */
until: number, };

/**
 * Keeps one result for each value of a keyword or number field: the first in the order of the plan. A document belongs to its first value
 * that is not an empty text; one without a value stays alone. `total`, `statistics`, `offset`, `count` and `after` count values. Cutoff and
 * facets apply to documents, before. The score of a value in `statistics` is the best of its documents.
 */
export type Collapse = { field: string,
/**
 * Documents to return for each value, 1 to 10.
 */
best: number, };

/**
 * Snippets of the hits, in which the words that the match nodes found are marked.
 */
export type HighlightRequest = { fields: Array<string>,
/**
 * Maximum number of snippets of a field.
 */
snippets: number,
/**
 * Maximum number of characters of text in a snippet, unless the marked part alone is longer.
 */
chars: number, };
