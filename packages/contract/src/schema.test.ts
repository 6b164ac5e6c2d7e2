import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type as TypeBox } from 'typebox'
import { Type } from './schema.ts'

/** Every builder, with options and without, within one another as the contract has them. */
const buildSamples = (T: typeof Type) => {
  const member = T.Object({
    id: T.String(),
    name: T.Optional(T.String({ minLength: 1, description: 'A name' })),
    roles: T.Array(T.Union([T.Literal('user'), T.Literal(4), T.Literal(true)]), { maxItems: 3 }),
    index: T.Union([T.Integer({ minimum: 0 }), T.Null()], { description: 'When' }),
  })
  return [
    member,
    T.Object({}, { additionalProperties: false }),
    T.Object({ all: T.Optional(member), some: T.Optional(T.Unsafe<'a'>(T.String({ enum: ['a'] }))) }),
    T.Object({ ...member.properties, isHere: T.Boolean({ default: true }) }, { description: 'More' }),
    T.Omit(member, ['id', 'name']),
    T.Record(T.String(), T.Unknown({ description: 'Anything' })),
    T.Record(T.String({ minLength: 1 }), T.Number({ exclusiveMinimum: 0 }), { minProperties: 1 }),
    T.Record(T.String({ pattern: '^[a-z]$' }), T.Array(T.Unknown()), { additionalProperties: false }),
  ]
}

test('the builders make the JSON Schema that those of TypeBox make', () => {
  const expected = buildSamples(TypeBox)
  for (const [index, schema] of buildSamples(Type).entries())
    assert.equal(JSON.stringify(schema), JSON.stringify(expected[index]))
})
