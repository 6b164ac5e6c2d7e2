import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAttributesReader, fieldForms } from './field-forms.ts'

test('dates in any declared form and texts of several values are read for people, also inside objects', () => {
  const forms = fieldForms(
    {
      workspace: 'quakes',
      collections: {
        quakes: {
          fields: {
            time: { type: 'date', formats: ['epoch-milliseconds'] },
            day: { type: 'date', formats: ['dd.MM.yyyy', 'MMM dd yyyy'], source: 'report.days' },
            types: { type: 'keyword', listSeparator: ',' },
            iso: { type: 'date' },
            mag: { type: 'number' },
          },
        },
        other: { fields: { mag: { type: 'date', formats: ['epoch-seconds'] } } },
      },
    },
    { endpoints: { all: { kind: 'all', collection: 'quakes' } } },
  )
  assert.deepEqual(Object.keys(forms), ['time', 'report.days', 'types'])
  const document = {
    time: 1_517_509_117_500,
    report: [{ days: ['18.04.2024', 'Apr 03 2008', 'soon'] }],
    types: ',geoserve,origin,phase-data,',
    iso: '2024-04-18',
    mag: 4.5,
    'report.days': undefined,
  }
  const { 'report.days': _, ...stored } = document
  assert.deepEqual(createAttributesReader(forms)(stored), {
    time: '2018-02-01T18:18:37.500Z',
    report: [{ days: ['2024-04-18', '2008-04-03', 'soon'] }],
    types: ['geoserve', 'origin', 'phase-data'],
    iso: '2024-04-18',
    mag: 4.5,
  })
})
