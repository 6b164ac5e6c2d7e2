/** Returns the value of a key, after creating it if there is none. */
export const getOrCreate = <Key, Value>(
  map: Map<Key, Value>,
  key: Key,
  create: () => NoInfer<Value>,
): Value => {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const value = create()
  map.set(key, value)
  return value
}
